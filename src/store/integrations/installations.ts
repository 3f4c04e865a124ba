import { sql } from 'kysely'
import type { Store } from '../store.ts'
import { query, sqlRows } from '../store.ts'
import type { InstallationRow } from '../tables/rows.ts'

/** Returns the installation with this id. */
export const findInstallation = (store: Store, id: string): InstallationRow | undefined =>
  store.get(query.selectFrom('integration_installation').selectAll().where('id', '=', id))

/** Returns the installation of an integration on an organization. */
export const findInstallationOn = (
  store: Store,
  integrationId: string,
  organizationId: string,
): InstallationRow | undefined =>
  store.get(
    query
      .selectFrom('integration_installation')
      .selectAll()
      .where('integration_id', '=', integrationId)
      .where('organization_id', '=', organizationId),
  )

/** Returns the installations on an organization, oldest first. */
export const listInstallationsOn = (store: Store, organizationId: string): InstallationRow[] =>
  store.all(
    query
      .selectFrom('integration_installation')
      .selectAll()
      .where('organization_id', '=', organizationId)
      .orderBy('seq'),
  )

/** Returns the number of installations of an integration on organizations other than its owner. */
export const countForeignInstallations = (store: Store, integrationId: string): number =>
  store.get(
    sqlRows<{ count: number }>(sql`
      select count(*) as count from integration_installation
      join integration on integration.id = integration_installation.integration_id
      where integration.id = ${integrationId}
        and integration_installation.organization_id <> integration.organization_id`),
  )?.count ?? 0

/** Returns whether an integration is installed on any organization. */
export const isInstalled = (store: Store, integrationId: string): boolean =>
  store.get(
    query
      .selectFrom('integration_installation')
      .select('id')
      .where('integration_id', '=', integrationId)
      .limit(1),
  ) !== undefined

/** Inserts an installation. */
export const insertInstallation = (
  store: Store,
  row: Omit<InstallationRow, 'seq' | 'external_ids' | 'spaces'>,
): InstallationRow =>
  store.get(
    query.insertInto('integration_installation').values(row).returningAll(),
  ) as InstallationRow

/** Updates an installation. Returns the new row. */
export const updateInstallation = (
  store: Store,
  id: string,
  set: Partial<
    Omit<InstallationRow, 'seq' | 'id' | 'integration_id' | 'organization_id' | 'created_at'>
  >,
): InstallationRow | undefined =>
  store.get(
    query.updateTable('integration_installation').set(set).where('id', '=', id).returningAll(),
  )

/** Deletes an installation with its installations on sites and its tokens. */
export const deleteInstallation = (store: Store, id: string): number =>
  store.run(query.deleteFrom('integration_installation').where('id', '=', id))

/** What the tokens of an installation may reach. */
type InstallationLimits = {
  id: string
  /** The accepted scopes, and those of the current version of the integration. */
  accepted: string[]
  offered: string[]
  space_selection: 'all' | 'selected'
  site_selection: 'all' | 'selected'
  spaces: string[]
  sites: string[]
}

/** Returns the limits of an installation's tokens. */
export const findInstallationLimits = (store: Store, id: string): InstallationLimits | undefined =>
  store.get(
    sqlRows<InstallationLimits>(
      sql`
      select installation.id, installation.scopes as accepted, integration.manifest ->> '$.scopes' as offered,
        space_selection, site_selection, spaces,
        (select json_group_array(site_id) from integration_site where installation_id = installation.id) as sites
      from integration_installation installation
      join integration on integration.id = installation.integration_id
      where installation.id = ${id}`,
      ['offered', 'sites'],
    ),
  )

/** Returns all installations, oldest first. */
export const listAllInstallations = (store: Store): InstallationRow[] =>
  store.all(query.selectFrom('integration_installation').selectAll().orderBy('seq'))
