import { Fault, invalid, missing } from '../../errors.ts'
import { baseName, directoryOf, folderPages } from '../files.ts'
import { escapeLine } from '../markdown/plain-text.ts'
import { type EntryPlace, emptySummary, entryText, type NewEntry } from '../summary/edit.ts'
import { depthLimit, type Summary, type SummaryEntry } from '../summary/parse.ts'
import { foldSlug, slugOfTitle } from '../text/slug.ts'
import { type ContentTree, type PageNode, parentOf } from '../tree/build.ts'
import { joinEmoji } from '../tree/page-node.ts'
import type { InnerTarget } from './changes.ts'
import { type Draft, fileAt, setSummary } from './draft.ts'
import { targetFor } from './paths.ts'
import { pagesInOrder, treeOf } from './tree.ts'

/** Returns the page or group with an id, or with a ref of the batch. Throws 'missing'. */
export function pageOf(draft: Draft, name: string): PageNode {
  const tree = treeOf(draft)
  const ref = draft.refs.get(name)
  const page =
    tree.pageById.get(name) ?? (ref && 'page' in ref ? tree.pageById.get(ref.page) : undefined)
  if (page) return page

  const fault = missing('page', name)
  if (![...tree.pageById.values()].some(({ type }) => type === 'computed')) throw fault

  // The id may be that of a generated page, which has no file.
  throw new Fault(
    fault.reason,
    `${fault.message} Pages generated from an OpenAPI spec cannot be edited: change the spec, or its entry in the table of contents.`,
  )
}

/** Returns the title of a page as written in the table of contents, with its emoji. */
export function writtenTitle(page: PageNode): string {
  if (page.entry?.title.trim()) return page.entry.title.trim()
  const own = page.facts?.frontMatter.emoji
  return joinEmoji(page.title, page.emoji === own ? undefined : page.emoji)
}

/**
 * Returns the table of contents; if there is none, first writes one that describes the tree that
 * was inferred or that another tool lists.
 */
export function summaryOf(draft: Draft): Summary {
  const tree = treeOf(draft)
  if (draft.summary) return draft.summary
  const source = summaryFor(tree, path => fileAt(draft, path) !== undefined)
  setSummary(draft, source, pagesInOrder(tree))
  treeOf(draft)

  return draft.summary!
}

/** Returns the source of a table of contents that describes the pages of a tree without one. */
export function summaryFor(tree: ContentTree, hasFile: HasFile): string {
  const place = { from: directoryOf(tree.summaryPath), hasFile }
  const lines: string[] = []
  const write = (pages: readonly PageNode[], indent: string) => {
    for (const [i, page] of pages.entries()) {
      const isGroup = page.type === 'group'
      if (!isGroup && pages[i - 1]?.type === 'group') lines.push('\n---\n\n')
      lines.push(
        isGroup
          ? `\n## ${escapeLine(writtenTitle(page))}\n\n`
          : `${indent}* ${entryText(newEntry(place, page))}\n`,
      )
      write(page.pages, isGroup ? indent : `${indent}  `)
    }
  }

  write(tree.pages, '')

  return emptySummary() + lines.join('')
}

type HasFile = (path: string) => boolean
/** The folder of the table of contents, and whether there is a file at a path. */
type ListFolder = { from: string; hasFile: HasFile }

/**
 * Returns the entry of a page that no table of contents lists yet. With it, the page keeps its title,
 * its name in the list and its address.
 */
function newEntry(place: ListFolder, page: PageNode): NewEntry {
  // A missing page has no title yet, and takes that of its file when there is one.
  const title = page.missing === undefined ? writtenTitle(page) : ''
  const label = page.linkTitle === page.title ? undefined : page.linkTitle
  const target = targetOf(place, page, label)
  if (target === undefined) return { title: label ?? title }
  return { title, target, ...(label !== undefined && { linkTitle: label }) }
}

function targetOf(
  { from, hasFile }: ListFolder,
  page: PageNode,
  label: string | undefined,
): string | undefined {
  const { file, missing: path, folder, ofFolder } = page
  if (file) {
    const directory = directoryOf(file.path)
    // A README.md may be beside the index that another tool lists.
    const isPage = folderPages(directory).find(hasFile) === file.path
    return targetFor(from, ofFolder && isPage ? directory : file.path) || './'
  }
  // A path outside the root stays as it is written.
  if (path !== undefined) return path.startsWith('/') ? path : targetFor(from, path)
  if (folder === undefined) return page.target

  // Plain text would have the address of its words, and no name in the list beside them.
  const isPlain = label === undefined && slugOfTitle(page.title) === page.slug
  const isNamed = foldSlug(baseName(folder.slice(0, -1))) === foldSlug(page.slug)

  return isNamed && !isPlain ? targetFor(from, folder) : undefined
}

/** Returns the entry of a page in the table of contents, which is created if necessary. */
export function entryOf(
  draft: Draft,
  id: string,
): { summary: Summary; entry: SummaryEntry; page: PageNode } {
  const summary = summaryOf(draft)
  const page = pageOf(draft, id)
  if (!page.entry) throw invalid(`"${page.title}" is a group: change it with "update_group".`)
  return { summary, entry: page.entry, page }
}

/**
 * The destination of a page: its parent, its place in the table of contents, and the page that
 * follows it in order.
 */
export type Destination = {
  parent: PageNode | undefined
  place: EntryPlace
  before: PageNode | undefined
}

/**
 * Returns the destination of a page below `into` (null: at the top level) at index `at` (undefined:
 * last). `moving` is the page if it exists already; it is not counted. Throws 'missing' or
 * 'invalid'.
 */
export function destinationOf(
  draft: Draft,
  into: string | null,
  at: number | undefined,
  moving?: PageNode,
): Destination {
  summaryOf(draft)
  const parent = into === null ? undefined : pageOf(draft, into)
  if (!parent) return topDestination(draft, at, moving)

  if (parent.type === 'link' || parent.type === 'computed')
    throw invalid(
      `"${parent.title}" is a ${parent.type === 'link' ? 'link' : 'computed page'}: it has no pages below it.`,
    )

  for (
    let above: PageNode | undefined = parent;
    above && moving;
    above = parentOf(treeOf(draft), above)
  )
    if (above === moving) throw invalid('A page cannot move below itself.')

  if ((parent.entry?.depth ?? 0) >= depthLimit - 2)
    throw invalid('Pages cannot be nested any deeper.')

  const siblings = parent.pages.filter(page => page !== moving)
  const index = Math.min(at ?? siblings.length, siblings.length)
  const place: EntryPlace = {
    group: parent.group,
    index,
    ...(parent.entry && { parent: parent.entry }),
  }

  return { parent, place, before: siblings[index] ?? following(draft, parent, moving) }
}

/**
 * Returns a destination at the top level: before the first group, or behind a rule that ends a
 * group.
 */
function topDestination(
  draft: Draft,
  at: number | undefined,
  moving: PageNode | undefined,
): Destination {
  const { pages } = treeOf(draft)
  const siblings = pages.filter(page => page !== moving)
  const groups = draft.summary!.groups
  const entriesOf = (group: number) =>
    siblings.filter(page => page.type !== 'group' && page.group === group)
  const first = groups[0]?.title === null && !groups[0].rule ? 0 : -1
  const wanted = Math.min(at ?? siblings.length, siblings.length)
  const [next, previous] = at === undefined ? [] : [siblings[wanted], siblings[wanted - 1]]
  const beside = [next, previous].find(page => page && page.type !== 'group')
  const group = beside?.group ?? first
  const own = entriesOf(group)
  const index = beside === undefined ? own.length : own.indexOf(beside) + (beside === next ? 0 : 1)
  const last = own[index - 1]
  const before = own[index] ?? (last ? following(draft, last, moving) : siblings[0])

  return { parent: undefined, place: { group, index }, before }
}

/**
 * Returns the first page in order after `page` and its descendants, skipping the moving one and its
 * descendants.
 */
function following(
  draft: Draft,
  page: PageNode,
  moving: PageNode | undefined,
): PageNode | undefined {
  const order = pagesInOrder(treeOf(draft))
  const isBelow = (node: PageNode, holder: PageNode) => {
    const tree = treeOf(draft)
    for (let at: PageNode | undefined = node; at; at = parentOf(tree, at))
      if (at === holder) return true
    return false
  }
  let at = order.indexOf(page) + 1

  while (
    at < order.length &&
    (isBelow(order[at]!, page) || (moving && isBelow(order[at]!, moving)))
  )
    at++

  return order[at]
}

/** Returns a page and its descendants, in order. */
export function withDescendants(page: PageNode): PageNode[] {
  const all: PageNode[] = [page]
  for (let at = 0; at < all.length; at++) all.splice(at + 1, 0, ...all[at]!.pages)
  return all
}

/** Returns the order of all pages with `pages` moved before `before` (undefined: to the end). */
export function orderWith(
  draft: Draft,
  pages: readonly (PageNode | null)[],
  before: PageNode | undefined,
): (PageNode | null)[] {
  const moving = new Set(pages)
  const rest: (PageNode | null)[] = pagesInOrder(treeOf(draft)).filter(page => !moving.has(page))
  const at = before ? rest.indexOf(before) : rest.length
  rest.splice(at === -1 ? rest.length : at, 0, ...pages)
  return rest
}

/**
 * Returns the target of a link in the table of contents that leads to a page, an anchor or a file.
 */
export function innerTarget(draft: Draft, target: InnerTarget): string {
  const tree = treeOf(draft)
  const from = directoryOf(tree.summaryPath)
  if (target.file !== undefined) {
    const file = tree.fileById.get(target.file)
    if (!file) throw missing('file', target.file)
    return targetFor(from, file.path)
  }

  const page = pageOf(draft, target.page)
  if (!page.file)
    throw new Fault('invalid_input', `"${page.title}" has no file that a link could lead to.`)

  // With `#`, the entry is a link and not a second entry for the page itself.
  return `${targetFor(from, page.file.path)}#${target.anchor ?? ''}`
}
