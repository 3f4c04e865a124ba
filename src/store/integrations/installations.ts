import { sql } from 'kysely'
import { Rows } from '../rows.ts'
import type { Store } from '../store.ts'
import { sqlRows } from '../store.ts'

const installations = new Rows('integration_installation')

/** Returns the installation with this id. */
export const findInstallation = installations.find('id')

/** Returns the installation of an integration on an organization. */
export const findInstallationOn = installations.find('integration_id', 'organization_id')

/** Returns the installations on an organization, oldest first. */
export const listInstallationsOn = installations.list('seq', 'organization_id')

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
export const isInstalled = installations.has('integration_id')

/** Inserts an installation. */
export const insertInstallation = installations.insert

/** Updates an installation. Returns the new row. */
export const updateInstallation = installations.update('id')

/** Deletes an installation with its installations on sites and its tokens. */
export const deleteInstallation = installations.remove('id')

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
      select installation.id, installation.scopes as accepted, integration.manifest ->> 'scopes' as offered,
        space_selection, site_selection, spaces,
        (select json_group_array(site_id) from integration_site where installation_id = installation.id) as sites
      from integration_installation installation
      join integration on integration.id = installation.integration_id
      where installation.id = ${id}`,
      ['offered', 'sites'],
    ),
  )

/** Returns all installations, oldest first. */
export const listAllInstallations = installations.list('seq')
