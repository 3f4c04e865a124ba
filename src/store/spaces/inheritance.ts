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
  const levels = levelsOf('collection', [collectionId])
  const nearest = store.get(
    sqlRows<{ default_level: string | null }>(sql`
      with recursive ${levels}
      select default_level from level
      where default_level is distinct from 'inherit' order by depth limit 1`),
  )
  const granted = store.all(
    sqlRows<{ user_id: string; role: string | null }>(sql`
      with recursive ${levels},
      given(user_id, depth, role) as (
        select permission.subject_id, level.depth, permission.role
        from level cross join permission
        where permission.target_kind = 'collection'
          and permission.target_id = level.id and permission.subject_kind = 'user'
        union
        select team_member.user_id, level.depth, permission.role
        from level cross join permission cross join team_member
        where permission.target_kind = 'collection'
          and permission.target_id = level.id and permission.subject_kind = 'team'
          and team_member.team_id = permission.subject_id
      )
      select distinct user_id, role from (
        select user_id, role, rank() over (partition by user_id order by depth) as place
        from given) as ranked
      where place = 1 order by user_id, role nulls first`),
  )

  return JSON.stringify({
    level: nearest ? [nearest.default_level] : null,
    granted: granted.map(({ user_id, role }) => [user_id, role]),
  })
}
