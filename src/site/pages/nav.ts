import { type ContentTree, type PageNode, parentOf } from '../../content/tree/build.ts'
import { addressOfPage, encodePath } from '../../content/tree/page-address.ts'
import { emojiOf } from '../place/glyphs.ts'
import { isListed } from '../place/order.ts'
import type { MarkedPages } from '../travel/marked-pages.ts'
import type { NavEntry } from '../views/model.ts'

/** What the entries of a list of pages depend on. */
export type Listing = {
  content: ContentTree
  /** The base of the addresses of pages, with a slash at its end. */
  base: string
  /** Returns the address of the list of the pages below an entry; a copy has none. */
  fragmentOf: (node: PageNode) => string | undefined
  /** Returns where a link in the table of contents leads; undefined for a broken one. */
  hrefOf: (target: string) => string | undefined
  /** Returns the SVG of an icon. */
  iconOf: (name: string | undefined) => string | undefined
  /** What a comparison marks in the list. */
  marked: MarkedPages | undefined
}

/** Returns the list of pages with the branch of a page open. */
export function navOf(listing: Listing, current: PageNode | undefined): NavEntry[] {
  const open = new Set<string>(listing.marked?.open)
  for (let node = current; node; node = parentOf(listing.content, node)) open.add(node.id)
  return entriesOf({ ...listing, open, current: current?.id }, listing.content.pages, undefined)
}

/** Returns the entries of the pages below one, all shut. */
export const navBelow = (listing: Listing, node: PageNode): NavEntry[] =>
  entriesOf({ ...listing, open: new Set(), current: undefined }, node.pages, node.id)

type Opened = Listing & { open: ReadonlySet<string>; current: string | undefined }

/**
 * Returns the entries below a parent (undefined: at the top level), with its removed pages in their
 * former places.
 */
function entriesOf(
  listing: Opened,
  nodes: readonly PageNode[],
  parentId: string | undefined,
): NavEntry[] {
  const entries = nodes.filter(isListed).flatMap(node => entryOf(listing, node) ?? [])
  for (const { page, afterId } of listing.marked?.removed.get(parentId) ?? []) {
    if (!isListed(page) || page.type === 'link') continue
    const after = afterId === undefined ? -1 : entries.findIndex(({ id }) => id === afterId)
    const at = afterId !== undefined && after < 0 ? entries.length : after + 1
    entries.splice(at, 0, removedEntry(listing, page))
  }
  return entries
}

/**
 * Returns the entry of a removed page, which stands open: the pages below it were removed, too, or
 * moved.
 */
function removedEntry(listing: Opened, page: PageNode): NavEntry {
  const { base, iconOf, current } = listing
  const { id, path, icon, emoji } = page
  const pages = entriesOf(listing, [], id)

  return {
    kind: page.type === 'group' ? 'group' : 'page',
    id,
    title: page.linkTitle ?? page.title,
    href: base + encodePath(path),
    emoji: emojiOf(emoji),
    icon: iconOf(icon),
    current: id === current,
    open: true,
    hasPages: pages.length > 0,
    pages,
    mark: 'removed',
  }
}

function entryOf(listing: Opened, node: PageNode): NavEntry | undefined {
  const { content, base, fragmentOf, hrefOf, iconOf, marked, open, current } = listing
  const { id, type } = node
  const href = type === 'link' ? hrefOf(node.target ?? '') : addressOfPage(base, content, node)
  if (href === undefined) return undefined

  const below = node.pages.some(isListed) || (marked?.removed.has(id) ?? false)

  // Groups stand open: they are headings of the list.
  const isOpen = type === 'group' || open.has(id)

  return {
    kind: type === 'group' ? 'group' : type === 'link' ? 'link' : 'page',
    id,
    title: node.linkTitle ?? node.title,
    href,
    emoji: emojiOf(node.emoji),
    icon: iconOf(node.icon),
    current: id === current,
    open: isOpen,
    hasPages: below,
    pages: isOpen ? entriesOf(listing, node.pages, id) : [],
    mark: marked?.marks.get(id) ?? (node.facts?.frontMatter.draft ? 'draft' : undefined),
    fragment: below && !isOpen ? fragmentOf(node) : undefined,
  }
}
