import type { Store } from '../store.ts'
import { query } from '../store.ts'
import type { SiteRow, SiteSchemaRow } from '../tables/rows.ts'

/** Returns the adaptive schema of a site. */
export const findSiteSchema = (store: Store, siteId: string): SiteSchemaRow | undefined =>
  store.get(query.selectFrom('site_schema').selectAll().where('site_id', '=', siteId))

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
export const putSiteSchema = (store: Store, row: SiteSchemaRow): number =>
  store.run(
    query
      .insertInto('site_schema')
      .values(row)
      .onConflict(conflict =>
        conflict
          .column('site_id')
          .doUpdateSet({ json_schema: row.json_schema, updated_at: row.updated_at }),
      ),
  )
