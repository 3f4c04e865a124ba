import { foldSegment } from '../../content/site/path.ts'
import {
  matchStructure,
  namesHidden,
  type Structure,
  type StructureMatch,
  withoutHidden,
} from '../../content/site/structure.ts'
import type { Context } from '../../context.ts'
import { findAlias, findLastAlias, hasAliases } from '../../store/sites/aliases.ts'
import { rememberedStructure, type StructureRows } from '../../store/sites/structure.ts'
import type {
  SiteAliasRow,
  SiteRow,
  SiteSectionRow,
  SiteSpaceRow,
} from '../../store/tables/rows.ts'
import type { Audience } from '../reading/audience.ts'
import { showsPage } from '../reading/shows-page.ts'
import { liveSiteSpaces, type SiteSpaceView, type SiteView } from './view-site.ts'

/** The content that a path below the base of a site leads to. */
export type Followed = Omit<StructureMatch, 'sectionId' | 'siteSpaceId'> & {
  siteSpace: SiteSpaceView
}

/** A site as a viewer sees it, and the claims of the viewer. */
type Viewer = { view: SiteView; audience: Audience }

/**
 * Returns what the segments below the base of a site (and behind the key of a share link) lead to
 * for a viewer: also along former paths, which are not canonical. Undefined for a part of the
 * structure that is hidden from the viewer, and for a site of which the viewer sees nothing.
 * Sections and site spaces without a live space take no addresses.
 */
export async function followStructure(
  ctx: Context,
  viewer: Viewer,
  segments: readonly string[],
): Promise<Followed | undefined> {
  const { view } = viewer
  const parts = partsOf(ctx, view)
  const { structure } = parts
  if (namesHidden(structure, segments)) return undefined

  const current = await withoutAliases(ctx, { ...viewer, ...parts }, segments)
  if (namesHidden(structure, current)) return undefined

  const match = matchStructure(structure, current)
  if (!match) return undefined

  const { siteSpaceId, sectionId: _, ...found } = match
  const siteSpace = siteSpaceIn(view, siteSpaceId)

  return { ...found, siteSpace, canonical: found.canonical && current === segments }
}

/**
 * Returns the content that segments below the base of a site lead to if hidden sections and site
 * spaces did not exist, so that a viewer cannot tell hidden paths from absent ones. Returns
 * undefined if the viewer sees nothing of the site.
 */
export function followAsAbsent(
  ctx: Context,
  view: SiteView,
  segments: readonly string[],
): Followed | undefined {
  const match = matchStructure(withoutHidden(structureOf(ctx, view)), segments)
  if (!match) return undefined
  const { siteSpaceId, sectionId: _, ...found } = match
  return { ...found, siteSpace: siteSpaceIn(view, siteSpaceId) }
}

const siteSpaceIn = ({ siteSpaces }: SiteView, id: string): SiteSpaceView =>
  siteSpaces.find(({ row }) => row.id === id) as SiteSpaceView

/** The rows of a site, and those of its sections and site spaces that have a live space. */
type Parts = {
  rows: StructureRows
  sections: readonly SiteSectionRow[]
  siteSpaces: readonly SiteSpaceRow[]
}

function livePartsOf(ctx: Context, site: SiteRow): Parts {
  const rows = rememberedStructure(ctx.store, site)
  const live = liveSiteSpaces(ctx, rows)
  return {
    rows,
    sections: rows.sections.filter(({ id }) => live.has(id)),
    siteSpaces: [...live.values()].flatMap(each => each.map(({ row }) => row)),
  }
}

/** The live parts of a site and the form in which `matchStructure` takes it, by view. */
const partsByView = new WeakMap<SiteView, Parts & { structure: Structure }>()

function partsOf(ctx: Context, view: SiteView): Parts & { structure: Structure } {
  const known = partsByView.get(view)
  if (known) return known
  const live = livePartsOf(ctx, view.site)
  const parts = { ...live, structure: makeStructure(view, live) }
  partsByView.set(view, parts)
  return parts
}

/** Returns a site in the form in which `content/site/structure.ts` takes it. */
export const structureOf = (ctx: Context, view: SiteView): Structure => partsOf(ctx, view).structure

function makeStructure(view: SiteView, { sections, siteSpaces }: Parts): Structure {
  const seen = new Set([...view.sections, ...view.siteSpaces].map(({ row }) => row.id))
  const hiddenOf = (rows: readonly { id: string; path: string }[]) =>
    new Set(rows.filter(({ id }) => !seen.has(id)).map(({ path }) => path))
  const hiddenIn = (sectionId: string | null) =>
    hiddenOf(siteSpaces.filter(row => row.section_id === sectionId))
  const placed = ({ row, isPathOmitted }: SiteSpaceView) => ({
    id: row.id,
    path: row.path,
    isDefault: isPathOmitted,
  })
  if (view.root.type === 'siteSpaces')
    return { kind: 'siteSpaces', siteSpaces: view.root.items.map(placed), hidden: hiddenIn(null) }

  return {
    kind: 'sections',
    hidden: hiddenOf(sections),
    sections: view.sections
      .filter(each => each.siteSpaces.length > 0)
      .map(({ row, isPathOmitted, siteSpaces }) => ({
        id: row.id,
        path: row.path,
        isDefault: isPathOmitted,
        siteSpaces: siteSpaces.map(placed),
        hidden: hiddenIn(row.id),
      })),
  }
}

/**
 * Returns the section or site space of a list that a segment names, whether or not the viewer sees
 * it.
 */
const named = <Row extends { path: string }>(list: readonly Row[], segment: string | undefined) =>
  segment === undefined ? undefined : list.find(({ path }) => path === foldSegment(segment))

type StructureView = Viewer & Parts & { structure: Structure }

/**
 * Returns segments with former paths of sections and site spaces replaced by those of now; the same
 * array if there are none.
 */
async function withoutAliases(
  ctx: Context,
  place: StructureView,
  segments: readonly string[],
): Promise<readonly string[]> {
  const { rows, sections, siteSpaces } = place
  const [first] = segments
  if (first === undefined || !hasAliases(ctx.store, place.view.site)) return segments

  const inside = (sectionId: string | null) =>
    siteSpaces.filter(row => row.section_id === sectionId)
  const atRoot: readonly { path: string }[] = rows.sections.length > 0 ? sections : inside(null)
  let current = segments

  if (!named(atRoot, first)) {
    const former = formerAtRoot(ctx, place, segments)
    if (!former || (await isPage(ctx, place, segments))) return segments
    current = former
  }

  const section = named(sections, current[0])
  if (!section || current[1] === undefined || named(inside(section.id), current[1])) return current

  const target = formerIn(ctx, place, section.id, current[1])
  if (!target || (await isPage(ctx, place, current))) return current

  return [...target, ...current.slice(2)]
}

/** Returns segments that begin with a former path at the root with those of now in its place. */
function formerAtRoot(
  ctx: Context,
  place: StructureView,
  [first, second, ...rest]: readonly string[],
): string[] | undefined {
  const after = second === undefined ? [] : [second, ...rest]
  // The site spaces of a section without a live space may have moved out of it.
  const left = named(place.rows.sections, first)
  const both =
    second === undefined
      ? undefined
      : formerIn(ctx, place, left?.id ?? '', second, left ? undefined : first)
  if (both) return [...both, ...rest]

  const one = left
    ? pathTo(place, findLastAlias(ctx.store, placeOf(place, left.id)))
    : formerIn(ctx, place, '', first!)

  return one && [...one, ...after]
}

/** The place of the former paths in a section, or at the root (''). */
const placeOf = ({ view: { site } }: StructureView, scope: string) => ({
  organizationId: site.organization_id,
  siteId: site.id,
  scope,
})

/**
 * Returns the path of now for a former path in a section, or at the root (''), where `section` may
 * precede it.
 */
function formerIn(
  { store }: Context,
  place: StructureView,
  scope: string,
  segment: string,
  section?: string,
): string[] | undefined {
  const path = [...(section === undefined ? [] : [section]), segment].map(foldSegment).join('/')
  return pathTo(place, findAlias(store, placeOf(place, scope), path))
}

/** Returns the path of the section or site space that a former path leads to. */
function pathTo(
  { sections, siteSpaces }: StructureView,
  alias: SiteAliasRow | undefined,
): string[] | undefined {
  if (!alias) return undefined
  const sectionPath = (id: string | null) => sections.find(row => row.id === id)?.path
  if (alias.target_kind === 'site-section') {
    const path = sectionPath(alias.target_id)
    return path === undefined ? undefined : [path]
  }

  const siteSpace = siteSpaces.find(row => row.id === alias.target_id)
  if (!siteSpace) return undefined

  const path = sectionPath(siteSpace.section_id)

  return path === undefined ? [siteSpace.path] : [path, siteSpace.path]
}

/**
 * Returns whether segments are the address of a page that the viewer is shown: a former path never
 * wins over it.
 */
async function isPage(
  ctx: Context,
  { view, structure, audience }: StructureView,
  segments: readonly string[],
): Promise<boolean> {
  const match = matchStructure(structure, segments)
  const siteSpace = match && view.siteSpaces.find(({ row }) => row.id === match.siteSpaceId)
  return (
    match !== undefined &&
    siteSpace !== undefined &&
    showsPage(ctx, siteSpace.space, match.rest.join('/'), audience)
  )
}
