import { sql } from 'kysely'
import type { Store } from '../store.ts'
import { query, sqlRows } from '../store.ts'
import type { Role } from '../tables/roles.ts'
import type { SitePermissionRow } from '../tables/rows.ts'

type Subject = { kind: SitePermissionRow['subject_kind']; id: string }

/** Sets the role of a user or team on a site. */
export const putSitePermission = (store: Store, row: SitePermissionRow): number =>
  store.run(
    query
      .insertInto('site_permission')
      .values(row)
      .onConflict(conflict =>
        conflict.columns(['site_id', 'subject_kind', 'subject_id']).doUpdateSet({ role: row.role }),
      ),
  )

/** Returns the permission of a user or team on a site; undefined if there is none. */
export const findSitePermission = (
  store: Store,
  siteId: string,
  { kind, id }: Subject,
): SitePermissionRow | undefined =>
  store.get(
    query
      .selectFrom('site_permission')
      .selectAll()
      .where('site_id', '=', siteId)
      .where('subject_kind', '=', kind)
      .where('subject_id', '=', id),
  )

/** Deletes the permission of a user or team on a site. Returns the number of deleted rows. */
export const deleteSitePermission = (store: Store, siteId: string, { kind, id }: Subject): number =>
  store.run(
    query
      .deleteFrom('site_permission')
      .where('site_id', '=', siteId)
      .where('subject_kind', '=', kind)
      .where('subject_id', '=', id),
  )

/**
 * Returns the roles that a user and their teams were granted on the sites of an organization, by
 * site.
 */
export function sitesGrantedTo(
  store: Store,
  organizationId: string,
  userId: string,
): Map<string, Role[]> {
  const rows = store.all(
    sqlRows<Pick<SitePermissionRow, 'site_id' | 'role'>>(sql`
      select site_id, role from site_permission
      where site_id in (select id from site where organization_id = ${organizationId}) and (
        (subject_kind = 'user' and subject_id = ${userId})
        or (subject_kind = 'team' and subject_id in (
          select team_id from team_member join team on team.id = team_member.team_id
          where user_id = ${userId} and organization_id = ${organizationId})))`),
  )
  const bySite = new Map<string, Role[]>()
  for (const { site_id, role } of rows) bySite.set(site_id, [...(bySite.get(site_id) ?? []), role])

  return bySite
}

/** Returns up to `limit` users or teams with a permission on a site, by id, after `after`. */
export const listGivenOnSite = (
  store: Store,
  siteId: string,
  kind: Subject['kind'],
  limit: number,
  after = '',
): { subject_id: string; role: Role }[] =>
  store.all(
    query
      .selectFrom('site_permission')
      .select(['subject_id', 'role'])
      .where('site_id', '=', siteId)
      .where('subject_kind', '=', kind)
      .where('subject_id', '>', after)
      .orderBy('subject_id')
      .limit(limit),
  )

/** Returns the roles that users were granted on a site, themselves or through teams, by user. */
export function listGrantsOnSite(store: Store, siteId: string): Map<string, Role[]> {
  const rows = store.all(
    sqlRows<{ user_id: string; role: Role }>(sql`
      select subject_id as user_id, role from site_permission
      where site_id = ${siteId} and subject_kind = 'user'
      union all
      select team_member.user_id, site_permission.role from site_permission
      join team_member on team_member.team_id = subject_id
      where site_id = ${siteId} and subject_kind = 'team'`),
  )
  const byUser = new Map<string, Role[]>()
  for (const { user_id, role } of rows) byUser.set(user_id, [...(byUser.get(user_id) ?? []), role])

  return byUser
}
