import { sql } from 'kysely'
import { among, greater } from '../dialect.ts'
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
      select ${organizationId}, "user".id, ${at} from "user" where "user".id in ${among([...new Set(userIds)])}
      on conflict (organization_id, user_id) do update
      set revoked_at = ${greater(sql`revocation.revoked_at`, sql`excluded.revoked_at`)}`),
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
