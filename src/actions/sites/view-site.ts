import type { ConditionedRow } from '../../access/reader-condition.ts'
import type { Context } from '../../context.ts'
import { rememberedStructure, type StructureRows } from '../../store/sites/structure.ts'
import { rememberedSpace } from '../../store/spaces/spaces.ts'
import type {
  SiteExternalLinkRow,
  SiteRow,
  SiteSectionGroupRow,
  SiteSectionRow,
  SiteSpaceRow,
  SpaceRow,
} from '../../store/tables/rows.ts'

/**
 * A part of a site with a default among its siblings. Addresses leave out the path of the default.
 * If a condition hides the default from a viewer, the first of its siblings acts as the default and
 * keeps the address that all viewers know.
 */
type Defaulted = {
  /** Whether it is the default, or acts as it for this viewer. */
  isDefault: boolean
  /** Whether addresses leave out its path. */
  isPathOmitted: boolean
}

/** A site space with its live space. */
export type SiteSpaceView = Defaulted & {
  kind: 'site-space'
  row: SiteSpaceRow
  space: SpaceRow
  section: SiteSectionRow | undefined
  /** The path below the base of the site: '', or with a trailing slash. */
  path: string
}

export type SectionView = Defaulted & {
  kind: 'site-section'
  row: SiteSectionRow
  siteSpaces: SiteSpaceView[]
  /** The path below the base of the site: '', or with a trailing slash. */
  path: string
}

export type SectionGroupView = {
  kind: 'site-section-group'
  row: SiteSectionGroupRow
  children: StructureView[]
}

type ExternalLinkView = { kind: 'site-external-link'; row: SiteExternalLinkRow }

/** What lies among the sections of a site. */
export type StructureView = SectionView | SectionGroupView | ExternalLinkView

/**
 * A site as a viewer sees it. The lists of all sections and all site spaces are in the order of the
 * structure.
 */
export type SiteView = {
  site: SiteRow
  /** What lies at the root: sections, groups and links, or site spaces. */
  root:
    | { type: 'sections'; items: StructureView[] }
    | { type: 'siteSpaces'; items: SiteSpaceView[] }
  sections: SectionView[]
  groups: SectionGroupView[]
  siteSpaces: SiteSpaceView[]
}

/** What a viewer sees of a site. */
type SiteViewer = {
  /** Returns whether the viewer may see a space. It does not change the defaults. */
  sees: (space: SpaceRow) => boolean
  /**
   * Returns whether conditions hide a section, link or site space from the viewer; then others act
   * as the defaults.
   */
  hides?: (row: ConditionedRow) => boolean
  /** Whether the viewer sees sections and groups that contain nothing that they see. */
  seesEmpty: boolean
}

/**
 * Returns a site as a viewer sees it. The defaults are the stored ones while they are live, else
 * the first live ones.
 */
export function viewSite(ctx: Context, site: SiteRow, viewer: SiteViewer): SiteView {
  const rows = rememberedStructure(ctx.store, site)
  const live = liveSiteSpaces(ctx, rows)
  if (rows.sections.length === 0 && rows.groups.length === 0) {
    const items = viewSiteSpaces(live.get(null) ?? [], viewer, site.default_site_space_id)
    return {
      site,
      root: { type: 'siteSpaces', items },
      sections: [],
      groups: [],
      siteSpaces: items,
    }
  }

  const sections = viewSections(rows, live, site, viewer)
  const tree = treeOf(rows, sections, viewer)
  const all = [...sections.values()]

  return {
    site,
    root: { type: 'sections', items: tree.items },
    sections: all,
    groups: tree.groups,
    siteSpaces: all.flatMap(section => section.siteSpaces),
  }
}

type Live = { row: SiteSpaceRow; space: SpaceRow }

/**
 * Returns the site spaces that are live, with their spaces, by section; null for the root. Others
 * have no entry.
 */
export function liveSiteSpaces(
  { store }: Context,
  { siteSpaces }: StructureRows,
): Map<string | null, Live[]> {
  const live = new Map<string | null, Live[]>()
  for (const row of siteSpaces) {
    const space = rememberedSpace(store, row.space_id)
    if (!space || space.deleted_at !== null) continue
    const known = live.get(row.section_id)
    if (known) known.push({ row, space })
    else live.set(row.section_id, [{ row, space }])
  }

  return live
}

/** Returns the stored default if it is among the ids, else the first of them. */
const effectiveDefault = (
  ids: readonly string[],
  stored: string | null | undefined,
): string | undefined =>
  stored !== null && stored !== undefined && ids.includes(stored) ? stored : ids[0]

const idOf = ({ row }: { row: { id: string } }): string => row.id

function viewSiteSpaces(
  live: readonly Live[],
  { hides, sees }: SiteViewer,
  storedDefault: string | null,
  section?: { row: SiteSectionRow; isPathOmitted: boolean },
): SiteSpaceView[] {
  const short = effectiveDefault(live.map(idOf), storedDefault)
  const shown = live.filter(({ row }) => !hides?.(row))
  const acting = effectiveDefault(shown.map(idOf), short)

  return shown
    .filter(({ space }) => sees(space))
    .map(({ row, space }) => {
      const isPathOmitted = row.id === short
      // The path of the default section is needed in front of its other site spaces.
      const ofSection =
        section && !(isPathOmitted && section.isPathOmitted) ? `${section.row.path}/` : ''
      const path = ofSection + (isPathOmitted ? '' : `${row.path}/`)

      return {
        kind: 'site-space',
        row,
        space,
        isDefault: row.id === acting,
        isPathOmitted,
        section: section?.row,
        path,
      }
    })
}

/** Returns the sections that the viewer sees, by id, in the order of the structure. */
function viewSections(
  rows: StructureRows,
  live: ReadonlyMap<string | null, readonly Live[]>,
  { default_section_id: stored }: SiteRow,
  viewer: SiteViewer,
): Map<string, SectionView> {
  const order = sectionsInOrder(rows)
  const short = defaultSection(order, live, stored)
  const shown = order.filter(row => !viewer.hides?.(row))
  const offered = new Map(
    shown.map(row => [row.id, (live.get(row.id) ?? []).filter(each => !viewer.hides?.(each.row))]),
  )
  const acting = defaultSection(shown, offered, short ?? null)
  const sections = new Map<string, SectionView>()

  for (const row of shown) {
    const isPathOmitted = row.id === short
    const siteSpaces = viewSiteSpaces(live.get(row.id) ?? [], viewer, row.default_site_space_id, {
      row,
      isPathOmitted,
    })
    if (siteSpaces.length === 0 && !viewer.seesEmpty) continue
    sections.set(row.id, {
      kind: 'site-section',
      row,
      isDefault: row.id === acting,
      isPathOmitted,
      siteSpaces,
      path: isPathOmitted ? '' : `${row.path}/`,
    })
  }

  return sections
}

/** Returns the default among sections: one with site spaces if there is any. */
function defaultSection(
  sections: readonly SiteSectionRow[],
  siteSpaces: ReadonlyMap<string | null, readonly Live[]>,
  stored: string | null,
): string | undefined {
  const filled = sections.filter(({ id }) => (siteSpaces.get(id)?.length ?? 0) > 0)
  const among = filled.length > 0 ? filled : sections
  return effectiveDefault(
    among.map(({ id }) => id),
    stored,
  )
}

/** Returns the sections in the order of the structure, through groups. */
export function sectionsInOrder(rows: StructureRows): SiteSectionRow[] {
  const ordered: SiteSectionRow[] = []
  const visit = (parent: string | null): void => {
    for (const item of childrenOf(parent, rows)) {
      if ('path' in item) ordered.push(item)
      else if (!('url' in item)) visit(item.id)
    }
  }

  visit(null)

  return ordered
}

/** Returns the sections, links and groups of one parent in their order. */
export const childrenOf = (
  parent: string | null,
  { sections, links, groups }: Omit<StructureRows, 'siteSpaces'>,
): (SiteSectionRow | SiteExternalLinkRow | SiteSectionGroupRow)[] =>
  [
    ...sections.filter(row => row.group_id === parent),
    ...links.filter(row => row.group_id === parent),
    ...groups.filter(row => row.parent_id === parent),
  ].sort((a, b) => a.position - b.position || a.seq - b.seq)

function treeOf(
  rows: StructureRows,
  sections: ReadonlyMap<string, SectionView>,
  { hides, seesEmpty }: SiteViewer,
): { items: StructureView[]; groups: SectionGroupView[] } {
  const ordered: SectionGroupView[] = []
  const below = (parent: string | null): StructureView[] =>
    childrenOf(parent, rows).flatMap<StructureView>(row => {
      if ('path' in row) return sections.get(row.id) ?? []
      if ('url' in row) return hides?.(row) ? [] : { kind: 'site-external-link', row }
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
