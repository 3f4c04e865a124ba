import { sql } from 'kysely'
import { noLimit } from '../dialect.ts'
import type { Store } from '../store.ts'
import { sqlRows } from '../store.ts'

/** A sign-in through a provider: a token or a session. */
type SignIn = { providerId: string; organizationId: string; userId: string }

/**
 * Returns whether a sign-in still counts: its provider is active, and the user is a member who is
 * not disabled.
 */
export const isSignedIn = (store: Store, { providerId, organizationId, userId }: SignIn): boolean =>
  store.get(
    sqlRows(sql`
      select 1 from sso_provider
      join member on member.organization_id = sso_provider.organization_id
      where sso_provider.id = ${providerId} and sso_provider.organization_id = ${organizationId}
        and sso_provider.active = 1 and member.user_id = ${userId} and member.disabled = 0`),
  ) !== undefined

type Whose = { providerId: string } | { organizationId: string; userId: string }

/**
 * Revokes the tokens and sessions that came through a provider, or through any provider of an
 * organization for a user. Returns the number of those that were not revoked before.
 */
export function endSignIns(store: Store, whose: Whose, at: string): number {
  const which =
    'providerId' in whose
      ? sql`provider_id = ${whose.providerId}`
      : sql`organization_id = ${whose.organizationId} and user_id = ${whose.userId} and provider_id is not null`

  const end = (table: 'token' | 'session') =>
    store.run(
      sqlRows(
        sql`update ${sql.table(table)} set revoked_at = ${at} where revoked_at is null and ${which}`,
      ),
    )

  return end('token') + end('session')
}

/**
 * Returns the ids of the live tokens of a user that sign-ins through a provider made, newest first,
 * without the first `skip`.
 */
export const listSignInTokens = (
  store: Store,
  { userId, providerId }: Pick<SignIn, 'userId' | 'providerId'>,
  at: string,
  skip: number,
): string[] =>
  store
    .all(
      sqlRows<{ id: string }>(sql`
        select id from token
        where user_id = ${userId} and provider_id = ${providerId} and parent_id is null
          and revoked_at is null and expires_at > ${at}
        order by seq desc limit ${noLimit} offset ${skip}`),
    )
    .map(({ id }) => id)
