import { foldSegment } from './path.ts'

/**
 * A path in an address, and whether it is the default among its siblings, whose path is left out of
 * addresses.
 */
export type Placed = { path: string; isDefault: boolean }

export type PlacedSpace = Placed & { id: string }
/**
 * The paths of the items of a list that are hidden from the reader. No other address may begin with
 * them.
 */
type Hidden = { hidden?: ReadonlySet<string> }
export type PlacedSection = Placed & Hidden & { id: string; siteSpaces: readonly PlacedSpace[] }

/**
 * The structure of a site as one reader sees it. A list has one default, or none if the default is
 * hidden from the reader. In that case the first item acts as default and keeps its own path: the
 * address without it is redirected.
 */
export type Structure = Hidden &
  (
    | { kind: 'sections'; sections: readonly PlacedSection[] }
    | { kind: 'siteSpaces'; siteSpaces: readonly PlacedSpace[] }
  )

export type StructureMatch = {
  sectionId?: string
  siteSpaceId: string
  /**
   * The canonical path of the section and site space below the base: '' or with a slash at its end.
   */
  prefix: string
  /** The segments that follow the structure: the path of a page. */
  rest: string[]
  /**
   * Whether the address is written with `prefix`. If not, a redirect leads to `prefix` and `rest`.
   */
  canonical: boolean
  /** Whether further segments cannot lead to another section or site space. */
  complete: boolean
}

/** Returns the path of a site space below the base of its site: '' or with a slash at its end. */
export function pathBelowBase({
  section,
  siteSpace,
}: {
  section?: Placed
  siteSpace: Placed
}): string {
  if (!section) return siteSpace.isDefault ? '' : `${siteSpace.path}/`
  if (!siteSpace.isDefault) return `${section.path}/${siteSpace.path}/`
  return section.isDefault ? '' : `${section.path}/`
}

/**
 * Returns the path of a page below the base of its site, decoded: that of its site space, made
 * longer if the short one would lead to another section or site space. `page` is the path of the
 * page in its space. Undefined if the structure does not show the site space.
 */
export function pagePathBelowBase(
  structure: Structure,
  siteSpaceId: string,
  page: readonly string[],
): string | undefined {
  const lists: { section?: PlacedSection; siteSpaces: readonly PlacedSpace[] }[] =
    structure.kind === 'sections'
      ? structure.sections.map(section => ({ section, siteSpaces: section.siteSpaces }))
      : [structure]

  for (const { section, siteSpaces } of lists) {
    const siteSpace = siteSpaces.find(({ id }) => id === siteSpaceId)
    if (siteSpace)
      return (
        canonicalPrefix(structure, { ...(section && { section }), siteSpace }, page) +
        page.join('/')
      )
  }

  return undefined
}

/**
 * Returns whether the segments below the base of a site name a section or site space that is hidden
 * from the reader.
 */
export function namesHidden(structure: Structure, [first, second]: readonly string[]): boolean {
  if (first === undefined) return false
  if (structure.hidden?.has(foldSegment(first))) return true
  if (structure.kind === 'siteSpaces' || second === undefined) return false
  const section = indexOf(structure.sections)?.byPath.get(foldSegment(first))
  return section?.hidden?.has(foldSegment(second)) ?? false
}

/** Returns a structure without the paths of hidden sections and site spaces. */
export const withoutHidden = (structure: Structure): Structure =>
  structure.kind === 'siteSpaces'
    ? { kind: 'siteSpaces', siteSpaces: structure.siteSpaces }
    : {
        kind: 'sections',
        sections: structure.sections.map(({ hidden: _, ...section }) => section),
      }

/** The items of a list by folded path, and the one that acts as default. */
type Index<Item> = { byPath: ReadonlyMap<string, Item>; first: Item; size: number }

/** The section and site space that the first `length` segments of an address name. */
type PathMatch = {
  section?: PlacedSection
  siteSpace: PlacedSpace
  length: number
  complete: boolean
}

/**
 * Returns the section and site space that the segments below the base of a site name, after the
 * share key. The longest match wins; without one, the defaults are meant. Undefined if the site
 * shows no site space.
 */
export function matchStructure(
  structure: Structure,
  segments: readonly string[],
): StructureMatch | undefined {
  const found = find(structure, segments)
  if (!found) return undefined
  const rest = segments.slice(found.length)
  const prefix = canonicalPrefix(structure, found, rest)
  const given = segments.slice(0, found.length).map(segment => `${segment}/`)

  return {
    ...(found.section && { sectionId: found.section.id }),
    siteSpaceId: found.siteSpace.id,
    prefix,
    rest,
    canonical: given.join('') === prefix,
    complete: found.complete || rest.length > 0,
  }
}

/**
 * Returns the shortest path that leads to the same place. It is longer than `pathBelowBase` only
 * for a page whose first segments are also the path of a section or site space, even a hidden one:
 * the short address would lead there.
 */
function canonicalPrefix(
  structure: Structure,
  { section, siteSpace }: Pick<PathMatch, 'section' | 'siteSpace'>,
  rest: readonly string[],
): string {
  const short = pathBelowBase({ ...(section && { section }), siteSpace })
  const long = `${section ? `${section.path}/` : ''}${siteSpace.path}/`
  const candidates = [short, ...(section ? [`${section.path}/`] : []), long]
  const leadsHere = (prefix: string) => {
    const path = [...prefix.split('/').slice(0, -1), ...rest]
    if (namesHidden(structure, path)) return false
    const other = find(structure, path)
    return other?.siteSpace === siteSpace && path.length - other.length === rest.length
  }

  return candidates.find(leadsHere) ?? long
}

function find(structure: Structure, segments: readonly string[]): PathMatch | undefined {
  if (structure.kind === 'siteSpaces') return findSiteSpace(structure.siteSpaces, segments, 0)
  const index = indexOf(structure.sections)
  if (!index) return undefined
  const named = index.byPath.get(foldSegment(segments[0] ?? ''))
  const section = named ?? index.first
  // The other site spaces of the default section are below its path, not directly below the base.
  const found = findSiteSpace(section.siteSpaces, named ? segments : [], named ? 1 : 0)
  return found && { ...found, section, complete: found.complete && (!!named || index.size === 1) }
}

function findSiteSpace(
  siteSpaces: readonly PlacedSpace[],
  segments: readonly string[],
  at: number,
): PathMatch | undefined {
  const index = indexOf(siteSpaces)
  if (!index) return undefined
  const named = index.byPath.get(foldSegment(segments[at] ?? ''))
  if (named) return { siteSpace: named, length: at + 1, complete: true }
  return { siteSpace: index.first, length: at, complete: index.size === 1 }
}

/**
 * The indexes of lists that were searched before: a site with many items is searched many times.
 */
const indexes = new WeakMap<readonly Placed[], Index<Placed>>()

/** Returns the index of a list, which must not change afterwards; undefined for an empty one. */
function indexOf<Item extends Placed>(list: readonly Item[]): Index<Item> | undefined {
  const known = indexes.get(list) as Index<Item> | undefined
  const first = list.find(({ isDefault }) => isDefault) ?? list[0]
  if (known || !first) return known

  const index = {
    byPath: new Map(list.map(item => [foldSegment(item.path), item])),
    first,
    size: list.length,
  }

  indexes.set(list, index)

  return index
}
