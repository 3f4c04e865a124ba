import { sha256 } from '../../lib/digest.ts'
import { mustGet } from '../../lib/must-get.ts'
import type { Steps } from '../../lib/slices.ts'
import { baseName, directoryOf, isFolderPage, withoutEnding } from '../files.ts'
import { foldSlug, safeSlug, uniqueSlug } from '../text/slug.ts'
import type { PageNode } from './page-node.ts'

/**
 * A page whose address is to be found. The address of a page depends on its own file and place, and
 * on which other pages want the same address, never on their order.
 */
export type PagePlace = {
  node: PageNode
  /** The nearest page above that has an address; undefined at the top. */
  above: PagePlace | undefined
  /** The slug to have if no other page wants it; undefined for an entry without an address. */
  wanted?: string
  /** The folder of the address, with its slash, if that is not the address of the page above. */
  folder?: string
  /** The path of the file relative to the root, also of a missing one. */
  inside?: string
  /** The slug that was wanted before other spellings of `README.md` counted, and names were made safe. */
  before?: string
  /** Pages below have an address below this one. */
  hasBelow?: true
}

/** The longest slug that is made of several names. */
const longest = 100

/** Sets the slug and the path of each page. `places` has parents before their children. */
export function* addressPages(places: readonly PagePlace[]): Steps<void> {
  const levels: Map<string, PagePlace[]>[] = []
  const below = new Map<PagePlace, PagePlace[]>()
  const put = (prefix: string, place: PagePlace) => {
    const level = prefix.split('/').length - 1
    while (levels.length <= level) levels.push(new Map())
    addTo(levels[level]!, prefix, place)
  }

  for (const place of places) {
    if (place.wanted === undefined) continue
    if (place.folder !== undefined) put(place.folder, place)
    else if (!place.above) put('', place)
    else {
      place.above.hasBelow = true
      addTo(below, place.above, place)
    }
  }

  // The address of a page is known before the pages below it are compared, which are a level lower.
  for (const level of levels)
    for (const [prefix, members] of level) {
      settle(members)
      yield
      for (const place of members) {
        place.node.path = prefix + place.node.slug
        for (const child of below.get(place) ?? []) put(`${place.node.path}/`, child)
      }
    }
}

function addTo<Key>(lists: Map<Key, PagePlace[]>, key: Key, place: PagePlace): void {
  const list = lists.get(key)
  if (list) list.push(place)
  else lists.set(key, [place])
}

/** Sets the slugs of pages with the same place: what each wants, if only one wants it. */
function settle(members: readonly PagePlace[]): void {
  const wanted = new Set(members.map(place => foldSlug(place.wanted!)))
  if (wanted.size === members.length) for (const place of members) place.node.slug = place.wanted!
  else settleEqual(members)
}

type Claim = { place: PagePlace; slugs: string[]; at: number }

/**
 * Sets the slugs of pages of which some want the same. Each has a list of slugs and takes the first
 * one that no other page has come to. A page keeps those that it has passed from the others, so
 * that adding or deleting one page never gives another page the address that a third one had.
 */
function settleEqual(members: readonly PagePlace[]): void {
  const closed = new Set(members.flatMap(place => (isClosed(place) ? [foldedWish(place)] : [])))
  const claims = members.map(place => {
    const slugs = slugsOf(place)
    // A section makes room for a page: its own address leads to no text.
    return { place, slugs, at: isSection(place) && closed.has(foldedWish(place)) ? 1 : 0 }
  })
  const owners = new Map<string, Claim | null>()
  const open = [...claims]

  for (let claim = open.pop(); claim; claim = open.pop()) {
    const slug = claim.slugs[claim.at]
    if (slug === undefined) continue
    const folded = foldSlug(slug)
    const owner = owners.get(folded)
    if (owner === undefined) owners.set(folded, claim)
    if (owner === undefined || owner === claim) continue
    owners.set(folded, null)
    for (const each of owner ? [owner, claim] : [claim]) {
      each.at++
      open.push(each)
    }
  }

  const taken = new Set(owners.keys())
  const next = new Map<string, number>()

  for (const { place, slugs, at } of claims) {
    // Only sections without pages are equal in everything; no address below them can change.
    const { node, wanted = '' } = place
    node.slug = slugs[at] ?? uniqueSlug(wanted, taken, next)
    taken.add(foldSlug(node.slug))
    if (node.slug !== wanted) node.wanted = wanted
  }
}

const foldedWish = ({ wanted = '' }: PagePlace): string => foldSlug(wanted)

const isSection = ({ inside }: PagePlace): boolean => inside === undefined

const isClosed = ({ inside, hasBelow }: PagePlace): boolean => inside !== undefined && !hasBelow

/**
 * Returns the slugs that a page may have, each once: the one that it wants, then with the name of
 * its folder, with its whole path, and with a digest of its path.
 */
function slugsOf(place: PagePlace): string[] {
  const wanted = place.wanted!
  const file = place.inside ?? firstFile(place.node) ?? place.node.folder ?? ''
  const folders = directoryOf(file).split('/').slice(0, -1)
  const isIndex = place.inside !== undefined && isFolderPage(file)
  const parts = isSection(place)
    ? [...folders.slice(-1), wanted]
    : [...folders, ...(isIndex ? [] : [withoutEnding(baseName(file))])]
  const joined = [
    ...(isSection(place) ? [`${wanted}-section`] : []),
    ...(isIndex ? [parts.slice(-1)] : []).flat(),
    parts.slice(-2).join('-'),
    parts.join('-'),
  ]
  const fit = joined
    .map(safeSlug)
    .filter(slug => slug !== '' && slug.length <= longest && !/^\.+$/.test(slug))
  const last = file === '' ? [] : [`${wanted.slice(0, longest - 9)}-${sha256(file).slice(0, 8)}`]
  const slugs = new Map([wanted, ...fit, ...last].map(slug => [foldSlug(slug), slug]))

  return [...slugs.values()]
}

/**
 * Returns the first path, by code unit, of the files of the pages below a page. It skips pages that
 * not every reader sees, with those below them, since the address would show their names.
 */
function firstFile(node: PageNode): string | undefined {
  let first: string | undefined
  for (const child of node.pages) {
    if (isGuarded(child)) continue
    const path = child.file?.path ?? firstFile(child)
    if (path !== undefined && (first === undefined || path < first)) first = path
  }
  return first
}

const isGuarded = ({ facts }: PageNode): boolean =>
  facts !== undefined &&
  (facts.closed === true ||
    facts.frontMatter.draft === true ||
    facts.frontMatter.condition !== undefined)

/**
 * Returns the paths that pages had while equal addresses got numbers in the order of the list, where
 * these differ from those of now: the keys of the pages, by path in the form that is compared.
 */
export function numberedPaths(places: readonly PagePlace[]): Map<string, string> {
  const numbered = new Map<string, string>()
  const isAsNow = ({ node, wanted, before }: PagePlace) => node.slug === (before ?? wanted ?? '')
  if (places.every(isAsNow)) return numbered
  const paths = new Map<PagePlace | undefined, string>([[undefined, '']])
  const scopes = new Map<string, { taken: Set<string>; next: Map<string, number> }>()

  for (const place of places) {
    const { node, above, wanted, folder, before = wanted } = place
    if (before === undefined) continue
    const prefix = folder ?? mustGet(paths, above)
    const scope = scopes.get(prefix) ?? { taken: new Set(), next: new Map() }
    const slug = uniqueSlug(before, scope.taken, scope.next)
    scope.taken.add(foldSlug(slug))
    scopes.set(prefix, scope)
    paths.set(place, `${prefix}${slug}/`)
    if (prefix + slug !== node.path) numbered.set(foldSlug(prefix + slug), node.key)
  }

  return numbered
}
