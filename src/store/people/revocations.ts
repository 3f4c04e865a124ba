import { sql } from 'kysely'
import type { Store } from '../store.ts'
import { query, sqlRows } from '../store.ts'

/**
 * Records that rights of these users in an organization were revoked, which voids older invites for
 * them.
 */
export function noteRevocation(
  store: Store,
  organizationId: string,
  userIds: readonly string[],
  at: string,
): void {
  if (userIds.length === 0) return
  store.run(
    sqlRows(sql`
      insert into revocation (organization_id, user_id, revoked_at)
      select ${organizationId}, user.id, ${at}
      from json_each(${[...new Set(userIds)]}) as named cross join user on user.id = named.value
      where true
      on conflict do update set revoked_at = max(revoked_at, excluded.revoked_at)`),
  )
}

/** Returns when rights of a user in an organization were last revoked; undefined if never. */
export const findRevocation = (
  store: Store,
  organizationId: string,
  userId: string,
): string | undefined =>
  store.get(
    query
      .selectFrom('revocation')
      .select('revoked_at')
      .where('organization_id', '=', organizationId)
      .where('user_id', '=', userId),
  )?.revoked_at
