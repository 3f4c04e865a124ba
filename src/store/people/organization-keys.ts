import type { Selectable } from 'kysely'
import type { Store } from '../store.ts'
import { query } from '../store.ts'
import type { Tables } from '../tables/tables.ts'

export type OrganizationKeyRow = Selectable<Tables['organization_key']>

/** The key of an organization; undefined as long as it vouched for nobody. */
export const findOrganizationKey = (store: Store, organizationId: string): OrganizationKeyRow | undefined =>
  store.get(query.selectFrom('organization_key').selectAll().where('organization_id', '=', organizationId))

/** Gives an organization this key unless it has one; the key that it has then. */
export const keepOrganizationKey = (store: Store, row: OrganizationKeyRow): OrganizationKeyRow =>
  store.transact(() => {
    store.run(
      query
        .insertInto('organization_key')
        .values(row)
        .onConflict(conflict => conflict.doNothing()),
    )
    return findOrganizationKey(store, row.organization_id) as OrganizationKeyRow
  })

/** Puts this key in the place of the one that an organization has. */
export const replaceOrganizationKey = (store: Store, row: OrganizationKeyRow): number =>
  store.run(
    query
      .insertInto('organization_key')
      .values(row)
      .onConflict(conflict => conflict.column('organization_id').doUpdateSet(row)),
  )

/** Forgets the key of an organization if it is still this one. */
export const forgetOrganizationKey = (
  store: Store,
  { organization_id, sealed }: Pick<OrganizationKeyRow, 'organization_id' | 'sealed'>,
): number =>
  store.run(
    query
      .deleteFrom('organization_key')
      .where('organization_id', '=', organization_id)
      .where('sealed', '=', sealed),
  )
