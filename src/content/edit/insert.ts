import { invalid } from '../../errors.ts'
import { directoryOf } from '../files.ts'
import { type FrontMatter, readFrontMatter } from '../markdown/front-matter.ts'
import { findHeading, newPage } from '../page/edit.ts'
import { insertEntry, type NewEntry } from '../summary/edit.ts'
import { insertGroup } from '../summary/groups.ts'
import { slugOfTitle } from '../text/slug.ts'
import type { PageNode } from '../tree/build.ts'
import { splitEmoji } from '../tree/page-node.ts'
import type { InsertGroup, InsertLink, InsertPage, PageFields } from './changes.ts'
import { type Draft, putText, setSummary, tellPage } from './draft.ts'
import { pathForPage, targetFor } from './paths.ts'
import { type Destination, destinationOf, innerTarget, orderWith, summaryOf } from './places.ts'
import { structureOf } from './read.ts'
import type { Asking } from './requests.ts'
import { markdownOf, settleLinks } from './settle-links.ts'
import { pagesInOrder, treeInSteps, treeOf } from './tree.ts'

/** Returns a title on one line. Throws 'invalid' for a blank title. */
export function titleOf(title: string): string {
  const line = title.replace(/\s+/g, ' ').trim()
  if (line === '') throw invalid('"title" must not be empty.')
  return line
}

/** Adds a page: its file and its entry in the table of contents. */
export function* insertPage(draft: Draft, change: InsertPage): Asking<void> {
  yield* structureOf(draft)
  const to = destinationOf(draft, change.into ?? null, change.at)

  // References in a block tree need the path, and the path may need the title, which a block tree
  // does not have.
  const given = 'markdown' in change.document ? (change.document.markdown ?? '') : ''
  const own = readFrontMatter(given).data.title ?? findHeading(given)?.text
  const title = titleOf(own?.trim() || change.title?.trim() || 'Untitled')
  const slug = change.slug ? { given: change.slug } : { derived: derivedSlug(title) }

  yield
  const path = pathForPage(draft, to.parent, slug)

  yield
  const markdown = markdownOf(draft, change.document, path) ?? ''

  // Taken before the file exists: the tree would list the file although it is not a page yet.
  const order = orderWith(draft, [null], to.before)
  const text = newPage({ title, markdown: newLines(markdown), frontMatter: frontMatterOf(change) })

  putText(draft, path, settleLinks(draft, path, text, { before: '', last: false }))
  draft.submitted.set(path, '')
  const target = targetFor(directoryOf(draft.tree.summaryPath), path)
  const page = yield* insertInto(draft, { ...to, order }, { title, target })
  if (change.ref !== undefined) draft.refs.set(change.ref, { page: page.id })
  tellPage(draft, page.id, 'created_page', change.ref)
}

/** Returns the slug derived from a title: always a valid file name. */
function derivedSlug(title: string): string {
  const slug = slugOfTitle(splitEmoji(title).title).replace(/[^\p{L}\p{N}._+-]+/gu, '-')
  const name = slug.replace(/^[.]+|[.]+$/g, '').replace(/^-+|-+$/g, '') || 'page'
  return /^readme$/i.test(name)
    ? 'readme'
    : /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i.test(name)
      ? `${name}-page`
      : name
}

/** Converts CRLF to LF unless the text mixes line ends. */
const newLines = (markdown: string): string =>
  /(?<!\r)\n/.test(markdown) ? markdown : markdown.replace(/\r\n/g, '\n')

function frontMatterOf(fields: PageFields): FrontMatter {
  const { description, icon, emoji, hidden, noIndex, noRobotsIndex, condition } = fields
  return {
    ...(description && { description }),
    ...(hidden && { hidden }),
    ...(noIndex && { noIndex }),
    ...(noRobotsIndex && { noRobotsIndex }),
    ...(icon && { icon }),
    ...(emoji && { emoji }),
    ...(condition && { condition }),
  }
}

/** Adds an entry to the table of contents, and returns its page. */
export function* insertInto(
  draft: Draft,
  to: Destination & { order?: (PageNode | null)[] },
  entry: NewEntry,
): Asking<PageNode> {
  const order = to.order ?? orderWith(draft, [null], to.before)
  setSummary(draft, insertEntry(draft.summary!, to.place, entry), order)
  yield
  return pagesInOrder(yield* treeInSteps(draft))[order.indexOf(null)]!
}

/** Adds a link to the table of contents. */
export function* insertLink(draft: Draft, change: InsertLink): Asking<void> {
  yield* structureOf(draft)
  const title = titleOf(change.title)
  const target = change.url ?? (change.target && innerTarget(draft, change.target))
  if (target === undefined) throw invalid('The link needs a "url" or a "target".')
  const to = destinationOf(draft, change.into ?? null, change.at)
  const page = yield* insertInto(draft, to, { title, target })
  tellPage(draft, page.id, 'created_page')
}

/** Adds a group without pages. */
export function* insertNewGroup(draft: Draft, change: InsertGroup): Asking<void> {
  yield* structureOf(draft)
  const title = titleOf(change.title)
  const { index, before } = groupPlace(draft, change.at)
  const order = orderWith(draft, [null], before)
  const anchor = anchorFor(title, change.slug)
  const source = insertGroup(summaryOf(draft), index, { title, ...(anchor && { anchor }) })

  setSummary(draft, source, order)
  yield
  const page = pagesInOrder(yield* treeInSteps(draft))[order.indexOf(null)]!
  if (change.ref !== undefined) draft.refs.set(change.ref, { page: page.id })
  tellPage(draft, page.id, 'created_page', change.ref)
}

/**
 * Returns the anchor that a group's heading needs to have the slug; '' if it needs none. Throws
 * 'invalid'.
 */
export function anchorFor(title: string, slug: string | undefined): string {
  if (!slug || slug === slugOfTitle(splitEmoji(title).title)) return ''
  if (!/^[\p{L}\p{N}._+-]+$/u.test(slug) || /^\.+$/.test(slug))
    throw invalid(
      `"slug" ${JSON.stringify(slug.slice(0, 60))} cannot be a group's address: use letters, digits, "-" and "_".`,
    )
  return slug
}

/**
 * Returns the index of a new or moved group in the table of contents, and the page that it then
 * precedes.
 */
export function groupPlace(
  draft: Draft,
  at: number | undefined,
  moving?: PageNode,
): { index: number; before: PageNode | undefined } {
  const { groups } = summaryOf(draft)
  const others = groups.filter((_, index) => index !== moving?.group)
  const pages = treeOf(draft).pages.filter(page => page !== moving)
  const there = at === undefined ? undefined : pages[at]
  if (!there) return { index: others.length, before: undefined }

  // A group can be inserted only before a heading or a rule.
  const index = others.findIndex((group, i) =>
    i > 0 || group.title !== null || group.rule ? groups.indexOf(group) >= there.group : false,
  )
  if (index === -1) return { index: others.length, before: undefined }

  const next = groups.indexOf(others[index]!)

  return { index, before: pages.find(page => page.group >= next) }
}
