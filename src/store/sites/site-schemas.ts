import { Rows } from '../rows.ts'
import type { Store } from '../store.ts'
import type { SiteRow } from '../tables/rows.ts'

const siteSchemas = new Rows('site_schema')

/** Returns the adaptive schema of a site. */
export const findSiteSchema = siteSchemas.find('site_id')

/**
 * Returns the adaptive schema of a site, from the cache while no row of its
 * organization changes; undefined if there is none.
 */
export const rememberedSchema = (
  store: Store,
  { id, organization_id: organizationId }: Pick<SiteRow, 'id' | 'organization_id'>,
): unknown =>
  store.remember(`site schema ${id}`, () => findSiteSchema(store, id)?.json_schema, {
    organizationId,
  })

/** Inserts or replaces the adaptive schema of a site. */
export const putSiteSchema = siteSchemas.put('site_id')
