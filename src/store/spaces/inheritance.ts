import { sql } from 'kysely'
import { levelsOf } from '../people/roles-of-user.ts'
import type { Store } from '../store.ts'
import { sqlRows } from '../store.ts'

/**
 * Returns the permissions that a collection and its ancestors pass on to their contents, as a text:
 * the nearest default level, and each user's grants on the nearest level that has any. Two places
 * with equal texts give every user the same roles. null is the top level of an organization.
 */
export function describeInheritance(store: Store, collectionId: string | null): string {
  if (collectionId === null) return JSON.stringify({ level: null, granted: [] })
  const row = store.get(
    sqlRows<{ level: string | null; granted: unknown[] }>(
      sql`
      with recursive ${levelsOf('collection', [collectionId])},
      given(user_id, depth, role) as (
        select permission.subject_id, level.depth, permission.role
        from level cross join permission on permission.target_kind = 'collection'
          and permission.target_id = level.id and permission.subject_kind = 'user'
        union
        select team_member.user_id, level.depth, permission.role
        from level cross join permission on permission.target_kind = 'collection'
          and permission.target_id = level.id and permission.subject_kind = 'team'
        cross join team_member on team_member.team_id = permission.subject_id
      ),
      nearest(user_id, role) as (
        select distinct user_id, role from given
        where depth = (select min(depth) from given as other where other.user_id = given.user_id)
      )
      select
        (select json_array(default_level) from level
          where default_level is not 'inherit' order by depth limit 1) as level,
        (select json_group_array(json_array(user_id, role))
          from (select user_id, role from nearest order by user_id, role)) as granted`,
      ['granted'],
    ),
  )

  return JSON.stringify({
    level: row?.level ?? null,
    granted: row?.granted ?? [],
  })
}
