import { sql } from 'kysely'
import { Rows } from '../rows.ts'
import type { Store } from '../store.ts'
import { query, sqlRows } from '../store.ts'
import type { Role } from '../tables/roles.ts'
import type { MemberRow, OrganizationRow } from '../tables/rows.ts'

const organizations = new Rows('organization')

/** Returns the organization with this id. */
export const findOrganization = organizations.find('id')

/** Returns the organization with this id, from the cache while its row stays the same. */
export const rememberedOrganization = (store: Store, id: string): OrganizationRow | undefined =>
  store.remember(`organization ${id}`, () => findOrganization(store, id), { organizationId: id })

/** Returns the organization with this host name. */
export const findOrganizationByHostname = organizations.find('hostname')

/** Returns an organization, except for one, whose id or hostname is this name, in any case. */
export const findOrganizationNamed = (
  store: Store,
  name: string,
  exceptId = '',
): OrganizationRow | undefined =>
  store.get(
    sqlRows<OrganizationRow>(sql`
      select * from organization
      where id <> ${exceptId} and (lower(id) = lower(${name}) or lower(hostname) = lower(${name}))
      order by seq limit 1`),
  )

/** Returns the oldest organization. */
export const findFirstOrganization = (store: Store): OrganizationRow | undefined =>
  store.get(query.selectFrom('organization').selectAll().orderBy('seq').limit(1))

/** Returns every organization, oldest first. For operators. */
export const listAllOrganizations = organizations.list('seq')

/**
 * Returns up to `limit` organizations of a user above `after`, oldest first, with the user's role
 * in each.
 */
export const listOrganizations = (
  store: Store,
  userId: string,
  limit: number,
  after = 0,
): (OrganizationRow & { member_role: Role | null })[] =>
  store.all(
    query
      .selectFrom('organization')
      .innerJoin('member', 'member.organization_id', 'organization.id')
      .selectAll('organization')
      .select('member.role as member_role')
      .where('member.user_id', '=', userId)
      .where('member.disabled', '=', 0)
      .where('organization.seq', '>', after)
      .orderBy('organization.seq')
      .limit(limit),
  )

/** Inserts an organization. */
export const insertOrganization = (
  store: Store,
  row: Pick<OrganizationRow, 'id' | 'title' | 'created_at'> & Partial<OrganizationRow>,
): OrganizationRow =>
  store.get(
    query
      .insertInto('organization')
      .values({ hostname: null, default_role: 'read', default_content: null, logo: null, ...row })
      .returningAll(),
  ) as OrganizationRow

/** Updates an organization. Returns the new row. */
export const updateOrganization = organizations.update('id')

/** Clears the default content of an organization if it is this site. */
export const clearDefaultContent = (store: Store, id: string, siteId: string): number =>
  store.run(
    query
      .updateTable('organization')
      .set({ default_content: null })
      .where('id', '=', id)
      .where(sql<boolean>`default_content ->> 'site' = ${siteId}`),
  )

/**
 * Returns the membership of a user in an organization; undefined without one, or if it is disabled.
 */
export const findMember = (
  store: Store,
  organizationId: string,
  userId: string,
): MemberRow | undefined =>
  store.get(
    query
      .selectFrom('member')
      .selectAll()
      .where('organization_id', '=', organizationId)
      .where('user_id', '=', userId)
      .where('disabled', '=', 0),
  )

/** Returns a membership like `findMember`, from the cache while its row stays the same. */
export const rememberedMember = (
  store: Store,
  organizationId: string,
  userId: string,
): MemberRow | undefined =>
  store.remember(
    `member ${organizationId} ${userId}`,
    () => findMember(store, organizationId, userId),
    { organizationId },
  )

/** Makes a user a member with this role (null: a guest), or changes the role. */
export const putMember = (
  store: Store,
  organizationId: string,
  userId: string,
  role: Role | null,
  at: string,
): number =>
  store.run(
    query
      .insertInto('member')
      .values({
        organization_id: organizationId,
        user_id: userId,
        role,
        joined_at: at,
        last_seen_at: null,
      })
      .onConflict(conflict =>
        conflict.columns(['organization_id', 'user_id']).doUpdateSet({ role }),
      ),
  )

/** Returns which of the users (by id) are members of an organization. */
export const findMembers = (
  store: Store,
  organizationId: string,
  userIds: readonly string[],
): Set<string> =>
  new Set(
    userIds.length === 0
      ? []
      : store
          .all(
            query
              .selectFrom('member')
              .select('user_id')
              .where('organization_id', '=', organizationId)
              .where('user_id', 'in', [...new Set(userIds)]),
          )
          .map(row => row.user_id),
  )
