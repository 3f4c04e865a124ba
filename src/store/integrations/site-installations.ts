import { Rows } from '../rows.ts'
import type { Store } from '../store.ts'
import { query } from '../store.ts'
import type { SiteInstallationRow } from '../tables/rows.ts'

const siteInstallations = new Rows('integration_site')

/** Returns the installation of an integration on a site. */
export const findSiteInstallation = siteInstallations.find('installation_id', 'site_id')

/** Returns the sites of an installation, oldest first. */
export const listSitesOfInstallation = siteInstallations.list('seq', 'installation_id')

/** Returns the installations on a site, oldest first. */
export const listInstallationsOnSite = siteInstallations.list('seq', 'site_id')

/** Inserts an installation on a site. */
export const insertSiteInstallation = siteInstallations.insert

/** Updates an installation on a site. Returns the new row. */
export const updateSiteInstallation = (
  store: Store,
  { installation_id, site_id }: Pick<SiteInstallationRow, 'installation_id' | 'site_id'>,
  set: Partial<Pick<SiteInstallationRow, 'configuration_sealed' | 'external_ids' | 'updated_at'>>,
): SiteInstallationRow =>
  store.get(
    query
      .updateTable('integration_site')
      .set(set)
      .where('installation_id', '=', installation_id)
      .where('site_id', '=', site_id)
      .returningAll(),
  ) as SiteInstallationRow

/** Deletes an installation on a site. */
export const deleteSiteInstallation = siteInstallations.remove('installation_id', 'site_id')

/** Returns all installations on sites, oldest first. */
export const listAllSiteInstallations = siteInstallations.list('seq')
