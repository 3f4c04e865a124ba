import { sql } from 'kysely'
import { normalize } from '../../lib/normalize.ts'
import { among } from '../dialect.ts'
import { Rows } from '../rows.ts'
import type { Store } from '../store.ts'
import { query, sqlRows } from '../store.ts'
import type { TeamRow } from '../tables/rows.ts'

const teams = new Rows('team')
const teamMembers = new Rows('team_member')

export type TeamRole = 'owner' | 'member'

/** Returns the team of an organization with this id. */
export const findTeam = teams.find('organization_id', 'id')

/** Returns the teams of an organization among these ids, by id. */
export const findTeams = teams.findAll('id', 'organization_id')

/**
 * The filter of a list of teams: teams that a user owns, teams whose title contains a text, in any
 * case.
 */
type TeamFilter = { owner?: string | undefined; title?: string | undefined }

/** The number of teams that are read at once for a search by title. */
const batch = 500

/** Returns up to `limit` teams of an organization above `after` (a `seq`), oldest first. */
export function listTeams(
  store: Store,
  organizationId: string,
  { owner, title }: TeamFilter,
  limit: number,
  after = 0,
): TeamRow[] {
  if (title === undefined) return readTeams(store, organizationId, owner, limit, after)
  const wanted = fold(title)
  const found: TeamRow[] = []

  for (let last = after; ; ) {
    const rows = readTeams(store, organizationId, owner, batch, last)
    for (const row of rows)
      if (fold(row.title).includes(wanted) && found.push(row) === limit) return found
    if (rows.length < batch) return found
    last = rows.at(-1)?.seq ?? last
  }
}

/** The database folds the case of ASCII only. */
const fold = (text: string): string => normalize('NFC', text).toLowerCase()

function readTeams(
  store: Store,
  organizationId: string,
  owner: string | undefined,
  limit: number,
  after: number,
): TeamRow[] {
  let select = query
    .selectFrom('team')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('seq', '>', after)

  if (owner !== undefined) {
    const owned = query.selectFrom('team_member').select('team_id').where('user_id', '=', owner)
    select = select.where('id', 'in', owned.where('role', '=', 'owner'))
  }

  return store.all(select.orderBy('seq').limit(limit))
}

/** Inserts a team. */
export const insertTeam = teams.insert

/** Changes the title of a team. Returns the new row. */
export const renameTeam = (store: Store, id: string, title: string): TeamRow | undefined =>
  store.get(query.updateTable('team').set({ title }).where('id', '=', id).returningAll())

/** Deletes a team with its grants. Call it inside a transaction. */
export function deleteTeam(store: Store, id: string): void {
  store.run(
    query.deleteFrom('permission').where('subject_kind', '=', 'team').where('subject_id', '=', id),
  )
  store.run(
    query
      .deleteFrom('site_permission')
      .where('subject_kind', '=', 'team')
      .where('subject_id', '=', id),
  )
  store.run(query.deleteFrom('team').where('id', '=', id))
}

/** The number of members of a team, and of spaces with a grant for it. */
export type TeamCounts = { members: number; spaces: number }

/** Returns the counts of each of the teams, by id. Runs one query. */
export const countForTeams = (store: Store, ids: readonly string[]): Map<string, TeamCounts> =>
  new Map(
    store
      .all(
        sqlRows<TeamCounts & { id: string }>(sql`
          select named.value as id,
            (select count(*) from team_member where team_id = named.value) as members,
            (select count(*) from permission join space on space.id = permission.target_id
              where permission.subject_kind = 'team' and permission.subject_id = named.value
                and permission.target_kind = 'space' and permission.role is not null
                and space.deleted_at is null) as spaces
          from json_each(${ids}) as named`),
      )
      .map(({ id, ...counts }) => [id, counts]),
  )

/** Adds a user to a team, or changes the user's role in it. */
export const putTeamMember = (
  store: Store,
  teamId: string,
  userId: string,
  role: TeamRole = 'member',
): number =>
  store.run(
    query
      .insertInto('team_member')
      .values({ team_id: teamId, user_id: userId, role })
      .onConflict(conflict => conflict.columns(['team_id', 'user_id']).doUpdateSet({ role })),
  )

/** Removes a user from a team. Returns the number of deleted rows. */
export const deleteTeamMember = teamMembers.remove('team_id', 'user_id')

/** Returns the role of a user in a team; undefined for users outside it. */
export const findTeamRole = (store: Store, teamId: string, userId: string): TeamRole | undefined =>
  findTeamRoles(store, teamId, [userId]).get(userId)

/** Returns the roles of those of the users (by id) who are in a team. */
export const findTeamRoles = (
  store: Store,
  teamId: string,
  userIds: readonly string[],
): Map<string, TeamRole> =>
  new Map(
    store
      .all(
        sqlRows<{ user_id: string; role: TeamRole }>(sql`
          select user_id, role from team_member where team_id = ${teamId}
            and user_id in ${among(userIds)}`),
      )
      .map(row => [row.user_id, row.role]),
  )

/**
 * Returns up to `limit` users of a team who are members of its organization, by user id, after
 * `after`.
 */
export const listTeamMembers = (
  store: Store,
  team: Pick<TeamRow, 'id' | 'organization_id'>,
  limit: number,
  after = '',
) =>
  store.all(
    query
      .selectFrom('team_member')
      .innerJoin('member', 'member.user_id', 'team_member.user_id')
      .selectAll('member')
      .select('team_member.role as team_role')
      .where('team_member.team_id', '=', team.id)
      .where('team_member.user_id', '>', after)
      .where('member.organization_id', '=', team.organization_id)
      .orderBy('team_member.user_id')
      .limit(limit),
  )

/**
 * Returns the members of an organization for each text, which is a user id or an e-mail address in
 * any case. Texts without a match are left out.
 */
export function findNamedMembers(
  store: Store,
  organizationId: string,
  named: readonly string[],
): Map<string, string> {
  const list = [...new Set(named)]
  return new Map(
    store
      .all(
        sqlRows<{ named: string; user_id: string }>(sql`
          select given.value as named, "user".id as user_id
          from json_each(${list}) as given cross join "user" cross join member
          where lower("user".email) = lower(given.value)
            and member.organization_id = ${organizationId} and member.user_id = "user".id
            and ("user".asserted_by is null or "user".asserted_by = ${organizationId})
          union all
          select given.value, member.user_id
          from json_each(${list}) as given cross join member
          where member.organization_id = ${organizationId} and member.user_id = given.value`),
      )
      .map(row => [row.named, row.user_id]),
  )
}

/** Returns the ids of the teams that a user owns. */
export const listOwnedTeams = (store: Store, userId: string): Set<string> =>
  new Set(
    store
      .all(
        query
          .selectFrom('team_member')
          .select('team_id')
          .where('user_id', '=', userId)
          .where('role', '=', 'owner'),
      )
      .map(row => row.team_id),
  )

/** Returns the ids of the organizations in which a user owns a team. */
export const listOrganizationsOfOwnedTeams = (store: Store, userId: string): Set<string> =>
  new Set(
    store
      .all(
        query
          .selectFrom('team_member')
          .innerJoin('team', 'team.id', 'team_member.team_id')
          .select('team.organization_id')
          .distinct()
          .where('team_member.user_id', '=', userId)
          .where('team_member.role', '=', 'owner'),
      )
      .map(row => row.organization_id),
  )
