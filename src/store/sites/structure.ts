import { sql } from 'kysely'
import type { Store } from '../store.ts'
import { query, sqlRows } from '../store.ts'
import type { SiteRow, SiteSectionGroupRow, SiteSectionRow, SiteSpaceRow } from '../tables/rows.ts'

/** The rows of a site's structure, each list by position. */
export type StructureRows = {
  groups: SiteSectionGroupRow[]
  sections: SiteSectionRow[]
  siteSpaces: SiteSpaceRow[]
}

/** Returns the structure of a site. */
export function readStructure(store: Store, siteId: string): StructureRows {
  const rowsOf = <Table extends 'site_section_group' | 'site_section' | 'site_space'>(table: Table) =>
    store.all(
      sqlRows<unknown>(
        sql`select * from ${sql.table(table)} where site_id = ${siteId} order by position, seq`,
      ),
    )
  return {
    groups: rowsOf('site_section_group') as SiteSectionGroupRow[],
    sections: rowsOf('site_section') as SiteSectionRow[],
    siteSpaces: rowsOf('site_space') as SiteSpaceRow[],
  }
}

/** Returns the structure of a site like `readStructure`, from the cache while no row of its organization changes. */
export const rememberedStructure = (
  store: Store,
  { id, organization_id: organizationId }: Pick<SiteRow, 'id' | 'organization_id'>,
): StructureRows => store.remember(`structure ${id}`, () => readStructure(store, id), { organizationId })

/** A live site space with the columns of its space that roles depend on. */
export type SiteSpaceOutline = {
  site_id: string
  section_id: string | null
  id: string
  space_id: string
  collection_id: string | null
  default_level: SiteRow['default_level']
}

/** Returns the live site spaces of all sites of an organization, by site. */
export function listSiteSpacesOf(store: Store, organizationId: string): Map<string, SiteSpaceOutline[]> {
  const rows = store.all(
    query
      .selectFrom('site')
      .innerJoin('site_space', 'site_space.site_id', 'site.id')
      .innerJoin('space', 'space.id', 'site_space.space_id')
      .select([
        'site_space.site_id',
        'site_space.section_id',
        'site_space.id',
        'site_space.space_id',
        'space.collection_id',
        'space.default_level',
      ])
      .where('site.organization_id', '=', organizationId)
      .where('space.deleted_at', 'is', null),
  )
  const bySite = new Map<string, SiteSpaceOutline[]>()
  for (const row of rows) {
    const known = bySite.get(row.site_id)
    if (known) known.push(row)
    else bySite.set(row.site_id, [row])
  }
  return bySite
}
