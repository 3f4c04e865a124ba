import { foldSegment } from '../../content/site/path.ts'
import { matchStructure, type Structure, type StructureMatch } from '../../content/site/structure.ts'
import type { Context } from '../../context.ts'
import { findAlias } from '../../store/sites/aliases.ts'
import { rememberedStructure, type StructureRows } from '../../store/sites/structure.ts'
import type { SiteRow, SiteSpaceRow } from '../../store/tables/rows.ts'
import { primaryHead } from '../heads/primary-head.ts'
import { viewRevision } from '../revisions/view-revision.ts'
import type { SiteSpaceView, SiteView } from './view-site.ts'

/** The content that a path below the base of a site leads to. */
export type Followed = Omit<StructureMatch, 'sectionId' | 'siteSpaceId'> & { siteSpace: SiteSpaceView }

/**
 * Returns what the segments below the base of a site (and behind the key of a share link) lead to for a viewer: also along
 * former paths, which are not canonical. Undefined for a part of the structure that the viewer does not see, and for a site
 * of which the viewer sees nothing.
 */
export async function followStructure(
  ctx: Context,
  view: SiteView,
  segments: readonly string[],
): Promise<Followed | undefined> {
  const rows = rememberedStructure(ctx.store, view.site)
  const structure = structureOf(view)
  if (namesUnseen(rows, view, segments)) return undefined
  const current = await withoutAliases(ctx, { view, rows, structure }, segments)
  if (current !== segments && namesUnseen(rows, view, current)) return undefined
  const match = matchStructure(structure, current)
  if (!match) return undefined
  const { siteSpaceId, sectionId: _, ...found } = match
  const siteSpace = view.siteSpaces.find(({ row }) => row.id === siteSpaceId) as SiteSpaceView
  return { ...found, siteSpace, canonical: found.canonical && current === segments }
}

/** The form in which `matchStructure` takes a site, by view. */
const structures = new WeakMap<SiteView, Structure>()

/** Returns a site in the form in which `content/site/structure.ts` takes it. */
export function structureOf(view: SiteView): Structure {
  const known = structures.get(view)
  if (known) return known
  const placed = ({ row, isPathOmitted }: SiteSpaceView) => ({
    id: row.id,
    path: row.path,
    isDefault: isPathOmitted,
  })
  const made: Structure =
    view.root.type === 'siteSpaces'
      ? { kind: 'siteSpaces', siteSpaces: view.root.items.map(placed) }
      : {
          kind: 'sections',
          sections: view.sections.map(({ row, isPathOmitted, siteSpaces }) => ({
            id: row.id,
            path: row.path,
            isDefault: isPathOmitted,
            siteSpaces: siteSpaces.map(placed),
          })),
        }
  structures.set(view, made)
  return made
}

/** Returns the section or site space of a list that a segment names, whether or not the viewer sees it. */
const named = <Row extends { path: string }>(list: readonly Row[], segment: string | undefined) =>
  segment === undefined ? undefined : list.find(({ path }) => path === foldSegment(segment))

const inSection = ({ siteSpaces }: StructureRows, sectionId: string | null): SiteSpaceRow[] =>
  siteSpaces.filter(row => row.section_id === sectionId)

/** Returns whether segments name a part of the structure that the viewer does not see. */
function namesUnseen(
  rows: StructureRows,
  { root, sections, siteSpaces }: SiteView,
  [first, second]: readonly string[],
): boolean {
  const seen = (id: string) => siteSpaces.some(({ row }) => row.id === id)
  if (root.type === 'siteSpaces') {
    const siteSpace = named(inSection(rows, null), first)
    return siteSpace !== undefined && !seen(siteSpace.id)
  }
  const section = named(rows.sections, first)
  if (!section) return false
  if (!sections.some(({ row }) => row.id === section.id)) return true
  const siteSpace = named(inSection(rows, section.id), second)
  return siteSpace !== undefined && !seen(siteSpace.id)
}

type Place = { view: SiteView; rows: StructureRows; structure: Structure }

/** Returns segments with former paths of sections and site spaces replaced by those of now; the same array if there are none. */
async function withoutAliases(
  ctx: Context,
  place: Place,
  segments: readonly string[],
): Promise<readonly string[]> {
  const { rows, view } = place
  const [first] = segments
  if (first === undefined) return segments
  const atRoot: readonly { path: string }[] = rows.sections.length > 0 ? rows.sections : inSection(rows, null)
  let current = segments
  if (!named(atRoot, first)) {
    const target = targetOf(ctx, view.site, rows, '', first)
    if (!target || (await hasPage(ctx, place, segments))) return segments
    current = [...target, ...segments.slice(1)]
  }
  const section = named(rows.sections, current[0])
  const inside = current[1]
  if (!section || inside === undefined || named(inSection(rows, section.id), inside)) return current
  const target = targetOf(ctx, view.site, rows, section.id, inside)
  if (!target || (await hasPage(ctx, place, current))) return current
  return [...target, ...current.slice(2)]
}

/** Returns the path of the section or site space that a former path leads to. */
function targetOf(
  { store }: Context,
  { id: siteId, organization_id: organizationId }: SiteRow,
  { sections, siteSpaces }: StructureRows,
  scope: string,
  segment: string,
): string[] | undefined {
  const alias = findAlias(store, { organizationId, siteId, scope }, foldSegment(segment))
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

/** Returns whether segments are the address of a page as they are: a former path never wins over it. */
async function hasPage(
  ctx: Context,
  { view, structure }: Place,
  segments: readonly string[],
): Promise<boolean> {
  const match = matchStructure(structure, segments)
  const siteSpace = match && view.siteSpaces.find(({ row }) => row.id === match.siteSpaceId)
  if (!siteSpace) return false
  const { head } = await primaryHead(ctx, siteSpace.space)
  const { content } = await viewRevision(ctx, siteSpace.space.id, head)
  return content.pageByPath.has(match.rest.join('/'))
}
