import { sql } from 'kysely'
import type { Store } from '../store.ts'
import { query, sqlRows } from '../store.ts'
import type { Level, Role } from '../tables/roles.ts'
import type { PermissionRow } from '../tables/rows.ts'
import { findMember } from './organizations.ts'

export type Kind = 'space' | 'collection'

type LevelRow = {
  target_id: string
  depth: number
  default_level: Level
  /** JSON arrays of the roles granted on this level to the person's teams, and to the person. */
  to_teams: string
  to_user: string
}

export type StandingRows = {
  memberRole: Role | null | undefined
  levels: { defaultLevel: Level; granted: (Role | null)[] }[]
}

/** Returns the role of a member, null for a guest; undefined for others, also for members who are disabled. */
const findMemberRole = (store: Store, organizationId: string, userId: string): Role | null | undefined =>
  findMember(store, organizationId, userId)?.role

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
  kind: Kind,
  targetIds: readonly string[],
): Map<string, StandingRows> {
  const memberRole = findMemberRole(store, organizationId, userId)
  const found = new Map<string, StandingRows>(targetIds.map(id => [id, { memberRole, levels: [] }]))
  if (memberRole === undefined) return found
  for (const row of store.all(levelRows(userId, kind, targetIds))) {
    const granted = [row.to_teams, row.to_user].flatMap(list => JSON.parse(list) as (Role | null)[])
    found.get(row.target_id)?.levels.push({ defaultLevel: row.default_level, granted })
  }
  return found
}

const start = {
  space: sql`select id, 0, 'space', id, collection_id, default_level from space`,
  collection: sql`select id, 0, 'collection', id, parent_id, default_level from collection`,
}

/** A recursive table `level`: each of the targets (`target_id`) and the collections it lies in, by `depth`, nearest 0. */
export const levelsOf = (kind: Kind, targetIds: readonly string[]) => sql`
  level(target_id, depth, kind, id, parent_id, default_level) as (
    ${start[kind]} where id in (select value from json_each(${JSON.stringify(targetIds)}))
    union all
    select level.target_id, level.depth + 1, 'collection', collection.id, collection.parent_id, collection.default_level
    from level join collection on collection.id = level.parent_id
    where level.depth < ${mostDepth}
  )`

const levelRows = (userId: string, kind: Kind, targetIds: readonly string[]) =>
  sqlRows<LevelRow>(sql`
    with recursive ${levelsOf(kind, targetIds)}
    select level.target_id, level.depth, level.default_level,
      (select json_group_array(permission.role)
        from team_member cross join permission on permission.subject_id = team_member.team_id
        where team_member.user_id = ${userId} and permission.target_kind = level.kind
          and permission.target_id = level.id and permission.subject_kind = 'team') as to_teams,
      (select json_group_array(role) from permission
        where target_kind = level.kind and target_id = level.id
          and subject_kind = 'user' and subject_id = ${userId}) as to_user
    from level order by level.target_id, level.depth`)

/** A space or collection as far as roles on it depend on its row; `parent_id` is the collection it lies in. */
export type Outline = { id: string; parent_id: string | null; default_level: Level }

/** What bears on a person's role on anything in an organization. */
export type Footing = Pick<StandingRows, 'memberRole'> & {
  /** What was given to the person or their teams, by the target's id. */
  given: Record<Kind, Map<string, (Role | null)[]>>
  collections: Map<string, Outline>
}

/** What bears on a person's role on everything in an organization: three queries, however much there is. */
export function findFooting(store: Store, organizationId: string, userId: string): Footing {
  const footing: Footing = {
    memberRole: findMemberRole(store, organizationId, userId),
    given: { space: new Map(), collection: new Map() },
    collections: new Map(),
  }
  if (footing.memberRole === undefined) return footing
  for (const { target_kind, target_id, role } of store.all(givenTo(userId))) {
    const given = footing.given[target_kind]
    const roles = given.get(target_id)
    if (roles) roles.push(role)
    else given.set(target_id, [role])
  }
  const collections = query
    .selectFrom('collection')
    .select(['id', 'parent_id', 'default_level'])
    .where('organization_id', '=', organizationId)
  for (const row of store.all(collections)) footing.collections.set(row.id, row)
  return footing
}

const givenTo = (userId: string) =>
  sqlRows<Pick<PermissionRow, 'target_kind' | 'target_id' | 'role'>>(sql`
    select target_kind, target_id, role from permission
    where subject_kind = 'user' and subject_id = ${userId}
    union all
    select target_kind, target_id, permission.role from team_member
    join permission on permission.subject_kind = 'team' and permission.subject_id = team_member.team_id
    where team_member.user_id = ${userId}`)

/** The levels of each target that bear on it: itself, then the collections it lies in, nearest first. */
export function levelsIn(footing: Footing): (kind: Kind, target: Outline) => StandingRows['levels'] {
  const known = new Map<string, StandingRows['levels']>()
  const own = (kind: Kind, target: Outline) => ({
    defaultLevel: target.default_level,
    granted: footing.given[kind].get(target.id) ?? [],
  })
  const around = (id: string | null, depth: number): StandingRows['levels'] => {
    const collection = id === null || depth > mostDepth ? undefined : footing.collections.get(id)
    if (!collection) return []
    const held = known.get(collection.id)
    if (held) return held
    const levels = [own('collection', collection), ...around(collection.parent_id, depth + 1)]
    known.set(collection.id, levels)
    return levels
  }
  return (kind, target) => [own(kind, target), ...around(target.parent_id, 1)]
}
