import { sql } from 'kysely'
import { among } from '../dialect.ts'
import { Rows } from '../rows.ts'
import type { Store } from '../store.ts'
import { query, sqlRows } from '../store.ts'
import type { SiteRow } from '../tables/rows.ts'

const sites = new Rows('site')

/** Returns the site with this id. */
export const findSite = sites.find('id')

/**
 * Returns the site with this id like `findSite`, from the cache while no row of its organization
 * changes.
 */
export const rememberedSite = (
  store: Store,
  organizationId: string,
  id: string,
): SiteRow | undefined =>
  store.remember(
    `site ${organizationId} ${id}`,
    () => {
      const row = findSite(store, id)
      return row?.organization_id === organizationId ? row : undefined
    },
    { organizationId },
  )

/** Returns the site of an organization with this basename. */
export const findSiteByBasename = sites.find('organization_id', 'basename')

/** Returns the site with this hostname. */
export const findSiteByHostname = sites.find('hostname')

/** Returns the site with this proxy origin. */
export const findSiteByProxyOrigin = sites.find('proxy_origin')

/** Returns the proxy origins on a host, each with the id of its site. */
export const listProxiesOnHost = (
  store: Store,
  host: string,
): { id: string; proxy_origin: string }[] =>
  store.all(
    query
      .selectFrom('site')
      .select(['id', 'proxy_origin'])
      // "0" follows "/".
      .where('proxy_origin', '>=', `${host}/`)
      .where('proxy_origin', '<', `${host}0`)
      .$narrowType<{ proxy_origin: string }>(),
  )

/** Returns the sites of an organization, newest first. */
export const listSitesOf = (store: Store, organizationId: string): SiteRow[] =>
  store.all(
    query
      .selectFrom('site')
      .selectAll()
      .where('organization_id', '=', organizationId)
      .orderBy('seq', 'desc'),
  )

/**
 * Returns the sites of an organization like `listSitesOf`, from the cache while no row of the
 * organization changes.
 */
export const rememberedSites = (store: Store, organizationId: string): readonly SiteRow[] =>
  store.remember(`sites ${organizationId}`, () => listSitesOf(store, organizationId), {
    organizationId,
  })

/** Returns the published sites of the server that are public, oldest first. */
export const listPublicSites = (store: Store, limit: number): SiteRow[] =>
  store.all(
    query
      .selectFrom('site')
      .selectAll()
      .where('published', '=', 1)
      .where('visibility', '=', 'public')
      .orderBy('seq')
      .limit(limit),
  )

/** Returns the number of sites of an organization. */
export const countSites = sites.count('organization_id')

/** Returns the basenames that sites of an organization have. */
export const listBasenames = (store: Store, organizationId: string): string[] =>
  store
    .all(query.selectFrom('site').select('basename').where('organization_id', '=', organizationId))
    .map(row => row.basename)

/** Inserts a site. */
export const insertSite = sites.insert

/** Updates a site. Returns the new row. */
export const updateSite = sites.update('id')

/** Deletes a site with the rows that belong to it, and the former basenames that lead to it. */
export const deleteSite = (store: Store, id: string): void =>
  store.transact(() => {
    store.run(
      query.deleteFrom('site_alias').where('target_kind', '=', 'site').where('target_id', '=', id),
    )
    // Groups reference their parents and sections their groups.
    store.run(query.deleteFrom('site_section').where('site_id', '=', id))
    store.run(
      query
        .deleteFrom('site_section_group')
        .where('site_id', '=', id)
        .where('parent_id', 'is not', null),
    )
    store.run(query.deleteFrom('site').where('id', '=', id))
  })

/** Returns the sites that show a space, oldest first. */
export const listSitesWithSpace = (store: Store, spaceId: string): SiteRow[] =>
  store.all(
    sqlRows<SiteRow>(
      sql`select * from site where id in (select site_id from site_space where space_id = ${spaceId}) order by seq`,
    ),
  )

/** Returns the audiences of the published sites that show spaces, by space. */
export function listAudiencesOf(
  store: Store,
  spaceIds: readonly string[],
): Map<string, Set<SiteRow['visibility']>> {
  const rows = store.all(
    sqlRows<{ space_id: string; visibility: SiteRow['visibility'] }>(sql`
      select distinct site_space.space_id, site.visibility from site_space
      join site on site.id = site_space.site_id and site.published = 1
      where site_space.space_id in ${among(spaceIds)}`),
  )
  const bySpace = new Map<string, Set<SiteRow['visibility']>>()
  for (const { space_id, visibility } of rows) {
    const known = bySpace.get(space_id)
    if (known) known.add(visibility)
    else bySpace.set(space_id, new Set([visibility]))
  }

  return bySpace
}

/** Returns the published sites that show any of the spaces, oldest first. */
export const listPublishedSitesWith = (store: Store, spaceIds: readonly string[]): SiteRow[] =>
  store.all(
    sqlRows<SiteRow>(sql`
      select * from site where published = 1 and id in (
        select site_id from site_space where space_id in ${among(spaceIds)})
      order by seq`),
  )
