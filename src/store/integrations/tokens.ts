import { sql } from 'kysely'
import { randomId, sha256 } from '../../lib/digest.ts'
import { copyRefusals } from '../people/organization-tokens.ts'
import { insertToken } from '../people/tokens.ts'
import type { Store } from '../store.ts'
import { query, sqlRows } from '../store.ts'
import type { InstallationRow, TokenRow } from '../tables/rows.ts'

/** The number of tokens of an installation that are valid at the same time; older ones end. */
const mostTokens = 100

/** `parent` is the token of the request. */
type NewSecret = { secret: string; name: string; at: string; parent: TokenRow }

/**
 * Inserts a token of an installation, which acts within its limits for the user who installed it,
 * and ends with `parent` at the latest. Removes expired tokens of the installation, and the oldest
 * above a limit. Call inside a transaction.
 */
export function insertInstallationToken(
  store: Store,
  { id, user_id, organization_id }: Pick<InstallationRow, 'id' | 'user_id' | 'organization_id'>,
  { secret, name, at, parent, lifetimeMs }: NewSecret & { lifetimeMs: number },
): TokenRow {
  store.run(
    sqlRows(sql`
      delete from token where installation_id = ${id} and (expires_at <= ${at} or id not in (
        select id from token where installation_id = ${id} order by seq desc limit ${mostTokens - 1}))`),
  )
  const start = Date.parse(at)
  const end = Math.min(
    start + lifetimeMs,
    parent.expires_at ? Date.parse(parent.expires_at) : Number.POSITIVE_INFINITY,
  )

  const row = insertToken(store, {
    id: randomId(),
    user_id,
    name,
    hash: sha256(secret),
    created_at: at,
    expires_at: new Date(end).toISOString(),
    scopes: [],
    organization_id,
    parent_id: parent.id,
    // A sign-in counts in the organization of its provider only.
    provider_id: parent.organization_id === organization_id ? parent.provider_id : null,
    installation_id: id,
    lifetime_ms: end - start,
  })

  copyRefusals(store, parent.id, row.id)

  return row
}

/**
 * Replaces the secret of an integration by one that ends with `parent`. Removes the tokens that the
 * former secret created. Call inside a transaction.
 */
export function replaceIntegrationSecret(
  store: Store,
  integrationId: string,
  { secret, name, at, parent }: NewSecret,
): void {
  store.run(
    sqlRows(
      sql`delete from token where parent_id in (select id from token where integration_id = ${integrationId})`,
    ),
  )
  store.run(query.deleteFrom('token').where('integration_id', '=', integrationId))
  const { id } = insertToken(store, {
    id: randomId(),
    user_id: parent.user_id,
    name,
    hash: sha256(secret),
    created_at: at,
    expires_at: parent.expires_at,
    scopes: [],
    organization_id: parent.organization_id,
    parent_id: parent.id,
    provider_id: parent.provider_id,
    integration_id: integrationId,
    lifetime_ms: parent.lifetime_ms,
  })

  copyRefusals(store, parent.id, id)
}
