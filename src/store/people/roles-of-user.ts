import { sql } from 'kysely'
import { among } from '../dialect.ts'
import type { Store } from '../store.ts'
import { query, sqlRows } from '../store.ts'
import type { Level, Role } from '../tables/roles.ts'
import type { PermissionRow } from '../tables/rows.ts'
import { findMember } from './organizations.ts'

export type Kind = 'space' | 'collection'

/** A level of a target, of a member; one row without a level for a member if there is none. */
type LevelRow = {
  member_role: Role | null
  target_id: string | null
  default_level: Level
  /** The roles granted on this level to the user's teams, and to the user. */
  to_teams: (Role | null)[]
  to_user: (Role | null)[]
}

type StandingRows = {
  memberRole: Role | null | undefined
  levels: { defaultLevel: Level; granted: (Role | null)[] }[]
}

/**
 * Returns the role of a member, null for a guest; undefined for other users and disabled members.
 */
const findMemberRole = (
  store: Store,
  organizationId: string,
  userId: string,
): Role | null | undefined => findMember(store, organizationId, userId)?.role

/** The deepest nesting of collections that is read. */
const mostDepth = 32

/**
 * Returns everything that a user's role on each of the targets (spaces or collections of one
 * organization) depends on, by target id. Runs one query for any number of targets.
 */
export function findStandings(
  store: Store,
  organizationId: string,
  userId: string,
  kind: Kind,
  targetIds: readonly string[],
): Map<string, StandingRows> {
  const rows = store.all(levelRows(organizationId, userId, kind, targetIds))
  const memberRole = rows[0]?.member_role
  const found = new Map<string, StandingRows>(targetIds.map(id => [id, { memberRole, levels: [] }]))
  for (const row of rows) {
    if (row.target_id === null) continue
    const granted = [...row.to_teams, ...row.to_user]
    found.get(row.target_id)?.levels.push({ defaultLevel: row.default_level, granted })
  }
  return found
}

const start = {
  space: sql`select id, 0, 'space', id, collection_id, default_level from space`,
  collection: sql`select id, 0, 'collection', id, parent_id, default_level from collection`,
}

/**
 * Returns SQL for a recursive table `level`: each of the targets (`target_id`) and its collections
 * by `depth`; the nearest is 0.
 */
export const levelsOf = (kind: Kind, targetIds: readonly string[]) => sql`
  level(target_id, depth, kind, id, parent_id, default_level) as (
    ${start[kind]} where id in ${among(targetIds)}
    union all
    select level.target_id, level.depth + 1, 'collection', collection.id, collection.parent_id, collection.default_level
    from level join collection on collection.id = level.parent_id
    where level.depth < ${mostDepth}
  )`

const levelRows = (
  organizationId: string,
  userId: string,
  kind: Kind,
  targetIds: readonly string[],
) =>
  sqlRows<LevelRow>(
    sql`
    with recursive ${levelsOf(kind, targetIds)}
    select member.role as member_role, level.target_id, level.default_level,
      (select json_group_array(permission.role)
        from team_member cross join permission
        where team_member.user_id = ${userId} and permission.subject_id = team_member.team_id
          and permission.target_kind = level.kind
          and permission.target_id = level.id and permission.subject_kind = 'team') as to_teams,
      (select json_group_array(role) from permission
        where target_kind = level.kind and target_id = level.id
          and subject_kind = 'user' and subject_id = ${userId}) as to_user
    from member left join level on true
    where member.organization_id = ${organizationId} and member.user_id = ${userId}
      and member.disabled = 0
    order by level.target_id, level.depth`,
    ['to_teams', 'to_user'],
  )

/**
 * The columns of a space or collection that roles on it depend on; `parent_id` is its collection.
 */
export type Outline = { id: string; parent_id: string | null; default_level: Level }

/** Everything that a user's roles in an organization depend on. */
export type Footing = Pick<StandingRows, 'memberRole'> & {
  /** The grants of the user and their teams, by the id of the target. */
  given: Record<Kind, Map<string, (Role | null)[]>>
  collections: Map<string, Outline>
}

/**
 * Returns everything that a user's roles in an organization depend on. Runs three queries for any
 * number of targets.
 */
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

/** Returns the levels that apply to each target: itself, then its collections, nearest first. */
export function levelsIn(
  footing: Footing,
): (kind: Kind, target: Outline) => StandingRows['levels'] {
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
