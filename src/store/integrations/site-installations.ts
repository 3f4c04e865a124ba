import type { Store } from '../store.ts'
import { query } from '../store.ts'
import type { SiteInstallationRow } from '../tables/rows.ts'

/** Returns the installation of an integration on a site. */
export const findSiteInstallation = (
  store: Store,
  installationId: string,
  siteId: string,
): SiteInstallationRow | undefined =>
  store.get(
    query
      .selectFrom('integration_site')
      .selectAll()
      .where('installation_id', '=', installationId)
      .where('site_id', '=', siteId),
  )

/** Returns the sites of an installation, oldest first. */
export const listSitesOfInstallation = (
  store: Store,
  installationId: string,
): SiteInstallationRow[] =>
  store.all(
    query
      .selectFrom('integration_site')
      .selectAll()
      .where('installation_id', '=', installationId)
      .orderBy('seq'),
  )

/** Returns the installations on a site, oldest first. */
export const listInstallationsOnSite = (store: Store, siteId: string): SiteInstallationRow[] =>
  store.all(
    query.selectFrom('integration_site').selectAll().where('site_id', '=', siteId).orderBy('seq'),
  )

/** Inserts an installation on a site. */
export const insertSiteInstallation = (
  store: Store,
  row: Omit<SiteInstallationRow, 'seq' | 'external_ids'>,
): SiteInstallationRow =>
  store.get(query.insertInto('integration_site').values(row).returningAll()) as SiteInstallationRow

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
export const deleteSiteInstallation = (
  store: Store,
  installationId: string,
  siteId: string,
): number =>
  store.run(
    query
      .deleteFrom('integration_site')
      .where('installation_id', '=', installationId)
      .where('site_id', '=', siteId),
  )

/** Returns all installations on sites, oldest first. */
export const listAllSiteInstallations = (store: Store): SiteInstallationRow[] =>
  store.all(query.selectFrom('integration_site').selectAll().orderBy('seq'))
