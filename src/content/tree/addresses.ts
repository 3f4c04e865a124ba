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
  /** The slugs to have in turn if others want them too, of a page that no file decides about. */
  further?: readonly string[]
}

/** Returns the slugs, in the form that is compared, that other pages have below a prefix. */
type Fixed = (prefix: string) => ReadonlySet<string>

const none: ReadonlySet<string> = new Set()

/** The longest slug that is made of several names. */
const longest = 100

/**
 * Sets the slug and the path of each page. `places` has parents before their children. Pages never
 * get a slug that `fixed` has.
 */
export function* addressPages(
  places: readonly PagePlace[],
  fixed: Fixed = () => none,
): Steps<void> {
  const levels: Map<string, PagePlace[]>[] = []
  const below = new Map<PagePlace, PagePlace[]>()
  const put = (prefix: string, place: PagePlace) => {
    const level = prefix.split('/').length - 1
    while (levels.length <= level) levels.push(new Map())
    addTo(levels[level]!, prefix, place)
  }

  for (const [at, place] of places.entries()) {
    if (at % 2048 === 2047) yield
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
      yield* settle(members, fixed(prefix))
      yield
      for (const [at, place] of members.entries()) {
        if (at % 2048 === 2047) yield
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
function* settle(members: readonly PagePlace[], fixed: ReadonlySet<string>): Steps<void> {
  const wishes = new Map<PagePlace, string>()
  for (const place of members) {
    wishes.set(place, foldSlug(place.wanted!))
    if (wishes.size % 2048 === 0) yield
  }
  const wanted = new Set([...wishes.values(), ...fixed])
  if (wanted.size < members.length + fixed.size) yield* settleEqual(members, wishes, fixed)
  else for (const place of members) place.node.slug = place.wanted!
}

type Claim = { place: PagePlace; slug: string | undefined; further: Iterator<string> }

function* claimsOf(
  members: readonly PagePlace[],
  wishes: ReadonlyMap<PagePlace, string>,
): Steps<Claim[]> {
  const closed = new Set<string>()
  for (const [place, wish] of wishes) if (isClosed(place)) closed.add(wish)
  const claims: Claim[] = []

  for (const place of members) {
    if (claims.length % 2048 === 2047) yield
    const claim: Claim = { place, slug: place.wanted, further: slugsOf(place) }
    // A section makes room for a page: its own address leads to no text.
    if (isSection(place) && closed.has(mustGet(wishes, place))) pass(claim)
    claims.push(claim)
  }

  return claims
}

/**
 * Sets the slugs of pages of which some want the same. Each has a list of slugs and takes the first
 * one that no other page has come to. A page keeps those that it has passed from the others, so
 * that adding or deleting one page never gives another page the address that a third one had.
 */
function* settleEqual(
  members: readonly PagePlace[],
  wishes: ReadonlyMap<PagePlace, string>,
  fixed: ReadonlySet<string>,
): Steps<void> {
  const claims = yield* claimsOf(members, wishes)
  const owners = new Map<string, Claim | null>([...fixed].map(slug => [slug, null]))
  const open = [...claims]
  let done = 0

  for (let claim = open.pop(); claim; claim = open.pop()) {
    if (++done % 1024 === 0) yield
    if (claim.slug === undefined) continue
    const folded = foldSlug(claim.slug)
    const owner = owners.get(folded)
    if (owner === undefined) owners.set(folded, claim)
    if (owner === undefined || owner === claim) continue
    owners.set(folded, null)
    for (const each of owner ? [owner, claim] : [claim]) {
      pass(each)
      open.push(each)
    }
  }

  const taken = new Set(owners.keys())
  const next = new Map<string, number>()

  for (const { place, slug } of claims) {
    if (++done % 1024 === 0) yield
    // Only sections without pages are equal in everything; no address below them can change.
    const { node, wanted = '' } = place
    node.slug = slug ?? uniqueSlug(wanted, taken, next)
    if (slug === undefined) taken.add(foldSlug(node.slug))
    if (node.slug !== wanted) node.wanted = wanted
  }
}

/** Makes a page turn to the next one of its slugs. */
function pass(claim: Claim): void {
  const { done, value } = claim.further.next()
  claim.slug = done ? undefined : value
}

const isSection = ({ inside }: PagePlace): boolean => inside === undefined

const isClosed = ({ inside, hasBelow }: PagePlace): boolean => inside !== undefined && !hasBelow

/**
 * Yields the slugs that a page may have instead of the one that it wants, each once: with the name
 * of its folder, with its whole path, and with a digest of its path.
 */
function* slugsOf(place: PagePlace): Generator<string, void> {
  const passed = new Set([foldSlug(place.wanted!)])
  for (const slug of place.further ?? slugsOfFile(place)) {
    const folded = foldSlug(slug)
    if (slug === '' || passed.has(folded)) continue
    passed.add(folded)
    yield slug
  }
}

function* slugsOfFile(place: PagePlace): Generator<string, void> {
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
  for (const slug of joined.map(safeSlug))
    if (slug.length <= longest && !/^\.+$/.test(slug)) yield slug
  if (file !== '') yield slugWithDigest(wanted, file)
}

/** Returns a slug that a digest of a text tells from others. */
export const slugWithDigest = (wanted: string, text: string): string =>
  `${wanted.slice(0, longest - 9)}-${sha256(text).slice(0, 8)}`

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
 * these differ from those of now: the pages, by path in the form that is compared.
 */
export function* numberedPaths(
  places: readonly PagePlace[],
  fixed: Fixed = () => none,
): Steps<Map<string, PageNode>> {
  const numbered = new Map<string, PageNode>()
  const isAsNow = ({ node, wanted, before }: PagePlace) => node.slug === (before ?? wanted ?? '')
  if (places.every(isAsNow)) return numbered
  const paths = new Map<PagePlace | undefined, string>([[undefined, '']])
  const scopes = new Map<string, { taken: Set<string>; next: Map<string, number> }>()

  for (const [at, place] of places.entries()) {
    if (at % 1024 === 1023) yield
    const { node, above, wanted, folder, before = wanted } = place
    if (before === undefined) continue
    const prefix = folder ?? mustGet(paths, above)
    const scope = scopes.get(prefix) ?? { taken: new Set(fixed(prefix)), next: new Map() }
    const slug = uniqueSlug(before, scope.taken, scope.next)
    scope.taken.add(foldSlug(slug))
    scopes.set(prefix, scope)
    paths.set(place, `${prefix}${slug}/`)
    if (prefix + slug !== node.path) numbered.set(foldSlug(prefix + slug), node)
  }

  return numbered
}
