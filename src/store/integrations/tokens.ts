import { sql } from 'kysely'
import { randomId, sha256 } from '../../lib/digest.ts'
import { insertToken } from '../people/tokens.ts'
import type { Store } from '../store.ts'
import { query, sqlRows } from '../store.ts'
import type { InstallationRow } from '../tables/rows.ts'

/** The number of tokens of an installation that are valid at the same time; older ones end. */
const mostTokens = 100

type NewSecret = { secret: string; name: string; at: string }

/**
 * Inserts a token of an installation, which acts within its limits for the user who installed it. Removes expired tokens
 * of the installation, and the oldest above a limit. Call inside a transaction.
 */
export function insertInstallationToken(
  store: Store,
  { id, user_id, organization_id }: Pick<InstallationRow, 'id' | 'user_id' | 'organization_id'>,
  { secret, name, at, lifetimeMs }: NewSecret & { lifetimeMs: number },
): void {
  store.run(
    sqlRows(sql`
      delete from token where installation_id = ${id} and (expires_at <= ${at} or id not in (
        select id from token where installation_id = ${id} order by seq desc limit ${mostTokens - 1}))`),
  )
  insertToken(store, {
    id: randomId(),
    user_id,
    name,
    hash: sha256(secret),
    created_at: at,
    expires_at: new Date(Date.parse(at) + lifetimeMs).toISOString(),
    scopes: '[]',
    organization_id,
    installation_id: id,
    lifetime_ms: lifetimeMs,
  })
}

/** Replaces the secret of an integration. Call inside a transaction. */
export function replaceIntegrationSecret(
  store: Store,
  integrationId: string,
  { secret, name, at, userId }: NewSecret & { userId: string },
): void {
  store.run(query.deleteFrom('token').where('integration_id', '=', integrationId))
  insertToken(store, {
    id: randomId(),
    user_id: userId,
    name,
    hash: sha256(secret),
    created_at: at,
    expires_at: null,
    scopes: '[]',
    integration_id: integrationId,
    lifetime_ms: null,
  })
}
