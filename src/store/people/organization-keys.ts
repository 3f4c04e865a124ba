import type { Selectable } from 'kysely'
import { Rows } from '../rows.ts'
import type { Store } from '../store.ts'
import { query } from '../store.ts'
import type { Tables } from '../tables/tables.ts'

const organizationKeys = new Rows('organization_key')

export type OrganizationKeyRow = Selectable<Tables['organization_key']>

/** Returns the key of an organization; undefined if it has not been created yet. */
export const findOrganizationKey = organizationKeys.find('organization_id')

/** Inserts the key of an organization unless it has one. Returns the key that is stored. */
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

/** Replaces the key of an organization. */
export const replaceOrganizationKey = organizationKeys.put('organization_id')

/** Deletes the key of an organization if it is still this one. */
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
