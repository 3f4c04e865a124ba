import { type ContentTree, type PageNode, parentOf } from '../../content/tree/build.ts'
import { emojiOf } from '../place/glyphs.ts'
import { isListed } from '../place/order.ts'
import { addressOfPage } from '../place/page-address.ts'
import type { NavEntry, PageMark } from '../views/model.ts'

/** What the entries of a list of pages depend on. */
export type Listing = {
  content: ContentTree
  /** The base of the addresses of pages, with a slash at its end. */
  base: string
  /** Returns the address of the list of the pages below an entry. */
  fragmentOf: (id: string) => string
  /** Returns where a link in the table of contents leads; undefined for a broken one. */
  hrefOf: (target: string) => string | undefined
  /** Returns the SVG of an icon. */
  iconOf: (name: string | undefined) => string | undefined
  marks?: ReadonlyMap<string, PageMark> | undefined
}

/** Returns the list of pages with the branch of a page open. */
export function navOf(listing: Listing, current: PageNode | undefined): NavEntry[] {
  const open = new Set<string>()
  for (let node = current; node; node = parentOf(listing.content, node)) open.add(node.id)
  return entriesOf(listing, listing.content.pages, open, current?.id)
}

/** Returns the entries of the pages below one, all shut. */
export const navBelow = (listing: Listing, node: PageNode): NavEntry[] =>
  entriesOf(listing, node.pages, new Set(), undefined)

function entriesOf(
  listing: Listing,
  nodes: readonly PageNode[],
  open: ReadonlySet<string>,
  current: string | undefined,
): NavEntry[] {
  return nodes.filter(isListed).flatMap(node => entryOf(listing, node, open, current) ?? [])
}

function entryOf(
  listing: Listing,
  node: PageNode,
  open: ReadonlySet<string>,
  current: string | undefined,
): NavEntry | undefined {
  const { content, base, fragmentOf, hrefOf, iconOf, marks } = listing
  const { id, type } = node
  const href = type === 'link' ? hrefOf(node.target ?? '') : addressOfPage(base, content, node)
  if (href === undefined) return undefined
  const below = node.pages.filter(isListed)
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
    hasPages: below.length > 0,
    pages: isOpen ? entriesOf(listing, below, open, current) : [],
    mark: marks?.get(id),
    ...(below.length > 0 && !isOpen && { fragment: fragmentOf(id) }),
  }
}
