import { sql } from 'kysely'
import type { Store } from '../store.ts'
import { sqlRows } from '../store.ts'
import type {
  SiteExternalLinkRow,
  SiteRow,
  SiteSectionGroupRow,
  SiteSectionRow,
  SiteSpaceRow,
  SpaceRow,
} from '../tables/rows.ts'

/** The rows of a site's structure, each list by position. */
export type StructureRows = {
  groups: SiteSectionGroupRow[]
  sections: SiteSectionRow[]
  links: SiteExternalLinkRow[]
  siteSpaces: SiteSpaceRow[]
}

/** Returns the structure of a site. */
export function readStructure(store: Store, siteId: string): StructureRows {
  type Part = 'site_section_group' | 'site_section' | 'site_external_link' | 'site_space'
  const rowsOf = (table: Part) =>
    store.all(
      sqlRows<unknown>(
        sql`select * from ${sql.table(table)} where site_id = ${siteId} order by position, seq`,
      ),
    )
  return {
    groups: rowsOf('site_section_group') as SiteSectionGroupRow[],
    sections: rowsOf('site_section') as SiteSectionRow[],
    links: rowsOf('site_external_link') as SiteExternalLinkRow[],
    siteSpaces: rowsOf('site_space') as SiteSpaceRow[],
  }
}

/**
 * Returns the structure of a site like `readStructure`, from the cache while no row of its
 * organization changes.
 */
export const rememberedStructure = (
  store: Store,
  { id, organization_id: organizationId }: Pick<SiteRow, 'id' | 'organization_id'>,
): StructureRows =>
  store.remember(`structure ${id}`, () => readStructure(store, id), { organizationId })

/**
 * Returns the ids of the spaces on the sites of an organization, by site, from the cache while no
 * site changes.
 */
export const spacesOnSites = (
  store: Store,
  organizationId: string,
): ReadonlyMap<string, readonly string[]> =>
  store.remember(
    `spaces on sites ${organizationId}`,
    () => readSpacesOnSites(store, organizationId),
    {
      organizationId,
    },
  )

function readSpacesOnSites(store: Store, organizationId: string): Map<string, string[]> {
  const rows = store.all(
    sqlRows<{ site_id: string; space_id: string }>(sql`
      select site_id, space_id from site_space
      where site_id in (select id from site where organization_id = ${organizationId})`),
  )
  const bySite = new Map<string, string[]>()
  for (const { site_id, space_id } of rows) {
    const known = bySite.get(site_id)
    if (known) known.push(space_id)
    else bySite.set(site_id, [space_id])
  }

  return bySite
}

/** The columns of a space that roles depend on. */
type SpaceOutline = Pick<SpaceRow, 'id' | 'collection_id' | 'default_level'>

/** Returns the live spaces on the sites of an organization. */
export const listSpacesShown = (store: Store, organizationId: string): SpaceOutline[] =>
  store.all(
    sqlRows<SpaceOutline>(sql`
      select id, collection_id, default_level from space
      where organization_id = ${organizationId} and deleted_at is null
        and exists (select 1 from site_space where site_space.space_id = space.id)`),
  )
