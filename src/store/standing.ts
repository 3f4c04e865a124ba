import { sql } from 'kysely'
import type { Store } from './store.ts'
import { sqlRows } from './store.ts'
import type { Level, Role } from './tables.ts'

type LevelRow = {
  target_id: string
  depth: number
  default_level: Level
  /** JSON array of roles granted to the person or one of their teams on this level. */
  granted: string
}

export type StandingRows = {
  memberRole: Role | null | undefined
  organizationDefault: Role | null
  levels: { defaultLevel: Level; granted: (Role | null)[] }[]
}

/** How many collections may lie in one another; deeper ones do not count. */
const mostDepth = 32

/**
 * What bears on a person's role on each of the targets (spaces or collections of one organization), by target id:
 * two queries, however many targets.
 */
export function findStandings(
  store: Store,
  organizationId: string,
  userId: string,
  kind: 'space' | 'collection',
  targetIds: readonly string[],
): Map<string, StandingRows> {
  const member = store.get(
    sqlRows<{ role: Role | null; is_member: number; default_role: Role | null }>(sql`
      select member.role, member.user_id is not null as is_member, organization.default_role
      from organization
      left join member on member.organization_id = organization.id and member.user_id = ${userId}
      where organization.id = ${organizationId}`),
  )
  const base = {
    memberRole: member?.is_member ? member.role : undefined,
    organizationDefault: member?.default_role ?? null,
  }
  const found = new Map<string, StandingRows>(targetIds.map(id => [id, { ...base, levels: [] }]))
  if (base.memberRole === undefined) return found
  for (const row of store.all(levelRows(userId, kind, targetIds))) {
    found
      .get(row.target_id)
      ?.levels.push({ defaultLevel: row.default_level, granted: JSON.parse(row.granted) as (Role | null)[] })
  }
  return found
}

const start = {
  space: sql`select id, 0, 'space', id, collection_id, default_level from space`,
  collection: sql`select id, 0, 'collection', id, parent_id, default_level from collection`,
}

const levelRows = (userId: string, kind: 'space' | 'collection', targetIds: readonly string[]) =>
  sqlRows<LevelRow>(sql`
    with recursive level(target_id, depth, kind, id, parent_id, default_level) as (
      ${start[kind]} where id in (select value from json_each(${JSON.stringify(targetIds)}))
      union all
      select level.target_id, level.depth + 1, 'collection', collection.id, collection.parent_id, collection.default_level
      from level join collection on collection.id = level.parent_id
      where level.depth < ${mostDepth}
    )
    select level.target_id, level.depth, level.default_level, coalesce((
      select json_group_array(permission.role) from permission
      where permission.target_kind = level.kind and permission.target_id = level.id and (
        (permission.subject_kind = 'user' and permission.subject_id = ${userId})
        or (permission.subject_kind = 'team' and permission.subject_id in (
          select team_id from team_member where user_id = ${userId}))
      )
    ), '[]') as granted
    from level order by level.target_id, level.depth`)
