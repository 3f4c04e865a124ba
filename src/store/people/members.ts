import { sql } from 'kysely'
import { normalize } from '../../lib/normalize.ts'
import { among } from '../dialect.ts'
import { Rows } from '../rows.ts'
import type { Store } from '../store.ts'
import { query, sqlRows } from '../store.ts'
import type { Role } from '../tables/roles.ts'
import type { MemberRow, TeamRow } from '../tables/rows.ts'
import { noteRevocation } from './revocations.ts'

const members = new Rows('member')

/** Returns the membership of a user in an organization, including a disabled one. */
export const findMembership = members.find('organization_id', 'user_id')

/** Returns the memberships of a user, including disabled ones. */
export const listMembershipsOf = members.list('organization_id', 'user_id')

/** The filter and order of a list of members. */
export type MemberList = {
  role?: Role | 'guest' | undefined
  /** Part of a name or an e-mail address, in any case. */
  search?: string | undefined
  /** By the time of joining, by name, or by the time last seen, which excludes members never seen. */
  sort: 'joinedAt' | 'lastSeenAt' | 'name'
  order: 'asc' | 'desc'
  /** Only members of this team of the organization. */
  team?: string | undefined
  /** Leaves out disabled members. */
  enabled?: boolean
}

/** A member of a list, and the value by which the list is sorted. */
export type ListedMember = MemberRow & { sorted_by: string | null }

/** The position in a list of members: after the one with this value and user id. */
export type AfterMember = [sortedBy: string, userId: string]

const orders = {
  joinedAt: sql<string>`member.joined_at`,
  lastSeenAt: sql<string>`member.last_seen_at`,
  name: sql<string>`folded("user".display_name)`,
}

/** Returns the position after a row in a list. */
export const keyOfMember = (row: ListedMember): AfterMember => [row.sorted_by ?? '', row.user_id]

/** Returns up to `limit` members of an organization after `after`. */
export function listMembers(
  store: Store,
  organizationId: string,
  list: MemberList,
  limit: number,
  after?: AfterMember,
): ListedMember[] {
  const named = selectMembers(organizationId, list, after)
  const select = named.selectAll('member').select(orders[list.sort].as('sorted_by'))
  const { search } = list
  if (search === undefined) return store.all(select.limit(limit))

  const wanted = fold(search)

  // The database folds the case of ASCII only, but it is several times faster than JavaScript.
  if (isAscii(wanted)) {
    const holds = sql<boolean>`("user".asserted_by is null or "user".asserted_by = ${organizationId})`
    const matches = sql<boolean>`(instr(lower("user".display_name), ${wanted}) > 0
      or (instr(lower("user".email), ${wanted}) > 0 and ${holds}))`
    return store.all(select.where(matches).limit(limit))
  }

  const ids = store
    .all(named.select(['user.id', 'user.display_name', 'user.email', 'user.asserted_by']))
    .filter(row => {
      const holds = row.asserted_by === null || row.asserted_by === organizationId
      const email = holds ? row.email : null
      return [row.display_name, email ?? ''].some(text => fold(text).includes(wanted))
    })
    .slice(0, limit)
    .map(row => row.id)

  return store.all(select.where('member.user_id', 'in', among(ids)))
}

const isAscii = (text: string): boolean => /^[\x20-\x7e]*$/.test(text)

const fold = (text: string): string => normalize('NFC', text).toLowerCase()

function selectMembers(
  organizationId: string,
  { role, sort, order, team, enabled = false }: MemberList,
  after: AfterMember | undefined,
) {
  const at = orders[sort]
  let select = query
    .selectFrom('member')
    .innerJoin('user', 'user.id', 'member.user_id')
    .where('member.organization_id', '=', organizationId)
  if (sort === 'lastSeenAt') select = select.where(at, 'is not', null)
  if (role === 'guest') select = select.where('member.role', 'is', null)
  else if (role !== undefined) select = select.where('member.role', '=', role)
  if (enabled) select = select.where('member.disabled', '=', 0)
  if (team !== undefined)
    select = select.where(
      sql<boolean>`exists (
        select 1 from team_member join team on team.id = team_member.team_id
        where team_member.team_id = ${team} and team_member.user_id = member.user_id
          and team.organization_id = ${organizationId})`,
    )

  if (after)
    select = select.where(
      order === 'asc'
        ? sql<boolean>`(${at}, member.user_id) > (${after[0]}, ${after[1]})`
        : sql<boolean>`(${at}, member.user_id) < (${after[0]}, ${after[1]})`,
    )

  return select.orderBy(at, order).orderBy('member.user_id', order)
}

/** The numbers of a member's spaces and teams in an organization. */
export type MemberCounts = { spaces: number; sites: number; teams: number }

/**
 * Counts, for each of the users (by id), their teams in the organization, and the spaces and
 * sites on which they or these teams have a grant. Runs three queries for any number of users.
 */
export function countForMembers(
  store: Store,
  organizationId: string,
  userIds: readonly string[],
): Map<string, MemberCounts> {
  const teamsOf = grouped(
    store.all(
      sqlRows<{ key: string; value: string }>(sql`
        -- The cross joins keep the order in which they stand: from the few who are named to what they have.
        select team_member.user_id as key, team.id as value
        from json_each(${userIds}) as named
        cross join team_member
        cross join team
        where team_member.user_id = named.value and team.id = team_member.team_id
          and team.organization_id = ${organizationId}
        order by team.seq`),
    ),
  )
  const teamIds = [...new Set([...teamsOf.values()].flat())]
  const subjects = [...userIds.map(id => ['user', id]), ...teamIds.map(id => ['team', id])]
  const spacesOf = grouped(
    store.all(
      sqlRows<{ key: string; value: string }>(sql`
        select permission.subject_kind || ' ' || permission.subject_id as key, permission.target_id as value
        from json_each(${subjects}) as subject
        cross join permission
        cross join space
        where permission.subject_kind = subject.value ->> 0
          and permission.subject_id = subject.value ->> 1 and space.id = permission.target_id
          and permission.target_kind = 'space' and permission.role is not null
          and space.organization_id = ${organizationId} and space.deleted_at is null`),
    ),
  )
  const sitesOf = grouped(
    store.all(
      sqlRows<{ key: string; value: string }>(sql`
        select held.subject_kind || ' ' || held.subject_id as key, held.site_id as value
        from json_each(${subjects}) as subject
        cross join site_permission as held
        cross join site
        where held.subject_kind = subject.value ->> 0 and held.subject_id = subject.value ->> 1
          and site.id = held.site_id and site.organization_id = ${organizationId}`),
    ),
  )
  const spaces = grantCounter(spacesOf)
  const sites = grantCounter(sitesOf)

  return new Map(
    userIds.map(userId => {
      const teams = teamsOf.get(userId) ?? []
      const counts = { spaces: spaces(userId, teams), sites: sites(userId, teams) }
      return [userId, { ...counts, teams: teams.length }]
    }),
  )
}

/**
 * Returns a function that counts what a user and their teams have, by "user ID" and "team ID".
 * Members of the same teams share the grants of these.
 */
function grantCounter(grants: ReadonlyMap<string, readonly string[]>) {
  const byTeams = new Map<string, Set<string>>()
  return (userId: string, teams: readonly string[]): number => {
    const key = teams.join(' ')
    const shared = byTeams.get(key) ?? new Set(teams.flatMap(id => grants.get(`team ${id}`) ?? []))
    byTeams.set(key, shared)
    const own = (grants.get(`user ${userId}`) ?? []).filter(id => !shared.has(id))
    return shared.size + own.length
  }
}

/** Returns the ids of a user's teams in an organization, oldest first. */
export const listTeamIds = (store: Store, organizationId: string, userId: string): string[] =>
  store
    .all(
      query
        .selectFrom('team_member')
        .innerJoin('team', 'team.id', 'team_member.team_id')
        .select('team.id')
        .where('team_member.user_id', '=', userId)
        .where('team.organization_id', '=', organizationId)
        .orderBy('team.seq'),
    )
    .map(row => row.id)

/**
 * Returns up to `limit` teams of a user in an organization above `after` (a `seq`), oldest first,
 * with the user's role in each; only teams whose title contains a text, in any case.
 */
export function listTeamsOfMember(
  store: Store,
  organizationId: string,
  userId: string,
  title: string | undefined,
  limit: number,
  after = 0,
): (TeamRow & { own_role: 'owner' | 'member' })[] {
  const select = query
    .selectFrom('team_member')
    .innerJoin('team', 'team.id', 'team_member.team_id')
    .selectAll('team')
    .select('team_member.role as own_role')
    .where('team_member.user_id', '=', userId)
    .where('team.organization_id', '=', organizationId)
    .where('team.seq', '>', after)
    .orderBy('team.seq')
  if (title === undefined) return store.all(select.limit(limit))
  const wanted = fold(title)

  return store
    .all(select)
    .filter(row => fold(row.title).includes(wanted))
    .slice(0, limit)
}

function grouped(rows: readonly { key: string; value: string }[]): Map<string, string[]> {
  const groups = new Map<string, string[]>()
  for (const { key, value } of rows) {
    const group = groups.get(key)
    if (group) group.push(value)
    else groups.set(key, [value])
  }
  return groups
}

/**
 * Returns whether an organization has another admin than this user whose membership is not
 * disabled.
 */
export const hasOtherAdmin = (store: Store, organizationId: string, userId: string): boolean =>
  store.get(
    query
      .selectFrom('member')
      .select('user_id')
      .where('organization_id', '=', organizationId)
      .where('role', '=', 'admin')
      .where('disabled', '=', 0)
      .where('user_id', '!=', userId)
      .orderBy('joined_at')
      .limit(1),
  ) !== undefined

/**
 * Returns the first admin of the server: the one whose membership is the oldest of those that are
 * not disabled.
 */
export const findFirstAdmin = (store: Store): MemberRow | undefined =>
  store.get(
    query
      .selectFrom('member')
      .selectAll()
      .where('role', '=', 'admin')
      .where('disabled', '=', 0)
      .orderBy('joined_at')
      .orderBy('user_id')
      .limit(1),
  )

/**
 * Makes a user a member (role null: a guest). Returns false without changes for an existing member.
 */
export const insertMember = (
  store: Store,
  row: Pick<MemberRow, 'organization_id' | 'user_id' | 'role' | 'joined_at'> & Partial<MemberRow>,
): boolean =>
  store.run(
    query
      .insertInto('member')
      .values({ last_seen_at: null, ...row })
      .onConflict(conflict => conflict.doNothing()),
  ) > 0

/** Updates a membership. Returns the new row. */
export const updateMember = members.update('organization_id', 'user_id')

/**
 * Removes a user from an organization: the membership, team memberships, grants on spaces,
 * collections and sites, and requests for reviews of open change requests. Their content stays.
 * Records the removal, so that older invites do not let them in again. Call it inside a
 * transaction.
 */
export function deleteMember(
  store: Store,
  organizationId: string,
  userId: string,
  at: string,
): void {
  noteRevocation(store, organizationId, [userId], at)
  store.run(
    sqlRows(sql`
      delete from team_member where user_id = ${userId}
        and team_id in (select id from team where organization_id = ${organizationId})`),
  )

  store.run(
    sqlRows(sql`
      delete from permission where subject_kind = 'user' and subject_id = ${userId} and (
        (target_kind = 'space' and exists (
          select 1 from space where space.id = target_id and organization_id = ${organizationId}))
        or (target_kind = 'collection' and exists (
          select 1 from collection where collection.id = target_id and organization_id = ${organizationId}))
      )`),
  )

  store.run(
    sqlRows(sql`
      delete from site_permission where subject_kind = 'user' and subject_id = ${userId}
        and site_id in (select id from site where organization_id = ${organizationId})`),
  )

  store.run(
    sqlRows(sql`
      delete from requested_reviewer where user_id = ${userId} and exists (
        select 1 from change_request join space on space.id = change_request.space_id
        where change_request.id = requested_reviewer.change_request_id
          and change_request.status in ('draft', 'open') and space.organization_id = ${organizationId})`),
  )

  store.run(
    query
      .deleteFrom('member')
      .where('organization_id', '=', organizationId)
      .where('user_id', '=', userId),
  )
}

/**
 * Returns whether a user is a member of another organization than this one, including as a guest or
 * disabled.
 */
export const belongsElsewhere = (store: Store, organizationId: string, userId: string): boolean =>
  store.get(
    query
      .selectFrom('member')
      .select('user_id')
      .where('user_id', '=', userId)
      .where('organization_id', '!=', organizationId)
      .limit(1),
  ) !== undefined

/** Returns whether a user is a member of an organization, including as a guest or disabled. */
export const belongsAnywhere = members.has('user_id')
