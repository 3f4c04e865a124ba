import type { Context } from '../../context.ts'
import { rememberedStructure, type StructureRows } from '../../store/sites/structure.ts'
import { rememberedSpace } from '../../store/spaces/spaces.ts'
import type {
  SiteRow,
  SiteSectionGroupRow,
  SiteSectionRow,
  SiteSpaceRow,
  SpaceRow,
} from '../../store/tables/rows.ts'

/** A site space with its live space. `isDefault`: it is the default of its section, or of the root. */
export type SiteSpaceView = {
  kind: 'site-space'
  row: SiteSpaceRow
  space: SpaceRow
  isDefault: boolean
  section: SiteSectionRow | undefined
  /** The path below the base of the site: '', or with a trailing slash. */
  path: string
}

export type SectionView = {
  kind: 'site-section'
  row: SiteSectionRow
  isDefault: boolean
  siteSpaces: SiteSpaceView[]
  /** The path below the base of the site: '', or with a trailing slash. */
  path: string
}

export type SectionGroupView = {
  kind: 'site-section-group'
  row: SiteSectionGroupRow
  children: (SectionView | SectionGroupView)[]
}

/** A site as a viewer sees it. The lists of all sections and all site spaces are in the order of the structure. */
export type SiteView = {
  site: SiteRow
  /** What lies at the root: sections and groups, or site spaces. */
  root:
    | { type: 'sections'; items: (SectionView | SectionGroupView)[] }
    | { type: 'siteSpaces'; items: SiteSpaceView[] }
  sections: SectionView[]
  groups: SectionGroupView[]
  siteSpaces: SiteSpaceView[]
}

/** What a viewer sees of a site. */
export type SiteViewer = {
  /** Returns whether the viewer may see a space. It does not change the addresses. */
  sees: (space: SpaceRow) => boolean
  /** Returns whether conditions hide a section or site space from the viewer; then others act as the defaults. */
  hides?: (row: SiteSectionRow | SiteSpaceRow) => boolean
  /** Whether the viewer sees sections and groups that contain nothing that they see. */
  seesEmpty: boolean
}

/**
 * Returns a site as a viewer sees it. The defaults are those of the live parts that no condition hides: the stored one,
 * else the first.
 */
export function viewSite(ctx: Context, site: SiteRow, viewer: SiteViewer): SiteView {
  const rows = rememberedStructure(ctx.store, site)
  const sectionRows = rows.sections.filter(row => !viewer.hides?.(row))
  const spacesOf = liveSiteSpaces(ctx, rows, viewer)
  const siteSpaces: SiteSpaceView[] = []
  if (rows.sections.length === 0 && rows.groups.length === 0) {
    const items = viewSiteSpaces(spacesOf.get(null) ?? [], {
      defaultId: site.default_site_space_id,
      section: undefined,
      isDefaultSection: true,
    }).filter(({ space }) => viewer.sees(space))
    siteSpaces.push(...items)
    return { site, root: { type: 'siteSpaces', items }, sections: [], groups: [], siteSpaces }
  }
  const order = sectionsInOrder(rows, sectionRows)
  const defaultId =
    effectiveDefault(
      order.filter(({ id }) => spacesOf.has(id)).map(({ id }) => id),
      site.default_section_id,
    ) ??
    effectiveDefault(
      order.map(({ id }) => id),
      site.default_section_id,
    )
  const sections = new Map<string, SectionView>()
  for (const row of order) {
    const isDefault = row.id === defaultId
    const shown = viewSiteSpaces(spacesOf.get(row.id) ?? [], {
      defaultId: row.default_site_space_id,
      section: row,
      isDefaultSection: isDefault,
    }).filter(({ space }) => viewer.sees(space))
    if (shown.length === 0 && !viewer.seesEmpty) continue
    sections.set(row.id, {
      kind: 'site-section',
      row,
      isDefault,
      siteSpaces: shown,
      path: isDefault ? '' : `${row.path}/`,
    })
  }
  const tree = treeOf(rows, sections, viewer.seesEmpty)
  const all = [...sections.values()]
  return {
    site,
    root: { type: 'sections', items: tree.items },
    sections: all,
    groups: tree.groups,
    siteSpaces: all.flatMap(section => section.siteSpaces),
  }
}

/** The site spaces that are live and not hidden, with their spaces, by section; null for the root. */
function liveSiteSpaces(
  { store }: Context,
  { siteSpaces }: StructureRows,
  { hides }: SiteViewer,
): Map<string | null, { row: SiteSpaceRow; space: SpaceRow }[]> {
  const live = new Map<string | null, { row: SiteSpaceRow; space: SpaceRow }[]>()
  for (const row of siteSpaces) {
    const space = rememberedSpace(store, row.space_id)
    if (!space || space.deleted_at !== null || hides?.(row)) continue
    const known = live.get(row.section_id)
    if (known) known.push({ row, space })
    else live.set(row.section_id, [{ row, space }])
  }
  return live
}

/** Returns the stored default if it is among the ids, else the first of them. */
const effectiveDefault = (ids: readonly string[], stored: string | null): string | undefined =>
  stored !== null && ids.includes(stored) ? stored : ids[0]

function viewSiteSpaces(
  live: readonly { row: SiteSpaceRow; space: SpaceRow }[],
  {
    defaultId,
    section,
    isDefaultSection,
  }: { defaultId: string | null; section: SiteSectionRow | undefined; isDefaultSection: boolean },
): SiteSpaceView[] {
  const effective = effectiveDefault(
    live.map(({ row }) => row.id),
    defaultId,
  )
  return live.map(({ row, space }) => {
    const isDefault = row.id === effective
    // The long form of a default section is needed in front of its other site spaces.
    const ofSection = section && !(isDefault && isDefaultSection) ? `${section.path}/` : ''
    return {
      kind: 'site-space',
      row,
      space,
      isDefault,
      section,
      path: ofSection + (isDefault ? '' : `${row.path}/`),
    }
  })
}

/** Returns the sections in the order of the structure, through groups. */
function sectionsInOrder({ groups }: StructureRows, sections: readonly SiteSectionRow[]): SiteSectionRow[] {
  const ordered: SiteSectionRow[] = []
  const visit = (parent: string | null): void => {
    for (const item of childrenOf(parent, sections, groups)) {
      if ('path' in item) ordered.push(item)
      else visit(item.id)
    }
  }
  visit(null)
  return ordered
}

/** Returns the sections and groups of one parent in their order. */
export const childrenOf = (
  parent: string | null,
  sections: readonly SiteSectionRow[],
  groups: readonly SiteSectionGroupRow[],
): (SiteSectionRow | SiteSectionGroupRow)[] =>
  [
    ...sections.filter(row => row.group_id === parent),
    ...groups.filter(row => row.parent_id === parent),
  ].sort((a, b) => a.position - b.position || a.seq - b.seq)

function treeOf(
  { groups, sections: rows }: StructureRows,
  sections: ReadonlyMap<string, SectionView>,
  seesEmpty: boolean,
): { items: (SectionView | SectionGroupView)[]; groups: SectionGroupView[] } {
  const ordered: SectionGroupView[] = []
  const below = (parent: string | null): (SectionView | SectionGroupView)[] =>
    childrenOf(parent, rows, groups).flatMap<SectionView | SectionGroupView>(row => {
      if ('path' in row) return sections.get(row.id) ?? []
      const at = ordered.length
      const children = below(row.id)
      if (children.length === 0 && !seesEmpty) return []
      const view: SectionGroupView = { kind: 'site-section-group', row, children }
      // A group comes before the groups in it.
      ordered.splice(at, 0, view)
      return view
    })
  return { items: below(null), groups: ordered }
}
