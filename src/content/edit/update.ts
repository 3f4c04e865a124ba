import { invalid } from '../../errors.ts'
import { directoryOf } from '../files.ts'
import { type FrontMatter, readFrontMatter } from '../markdown/front-matter.ts'
import { findHeading, newPage, replaceBody, setHeading } from '../page/edit.ts'
import { editFrontMatter } from '../page/front-matter-edit.ts'
import { moveEntry, setEntryTarget, setEntryTitle } from '../summary/edit.ts'
import { slugOfFile } from '../text/slug.ts'
import { type ContentTree, type PageNode, parentOf } from '../tree/build.ts'
import { joinEmoji, splitEmoji } from '../tree/page-node.ts'
import { baseOf, baseText, checkFields, checkKeys, mergeSince } from './base.ts'
import type { UpdatePage } from './changes.ts'
import { type Draft, putText, setSummary, tellPage } from './draft.ts'
import { titleOf } from './insert.ts'
import { pathForPage, targetFor } from './paths.ts'
import {
  destinationOf,
  entryOf,
  orderWith,
  pageOf,
  summaryOf,
  withDescendants,
  writtenTitle,
} from './places.ts'
import { structureOf, textAt } from './read.ts'
import { addressesOf, redirectMoved } from './redirects.ts'
import { renamePage } from './rename.ts'
import type { Asking, Prefetch } from './requests.ts'
import { markdownOf, settleLinks } from './settle-links.ts'
import { pagesInOrder, treeInSteps, treeOf } from './tree.ts'

/** Returns the page's file, now and in the base revision, and whether links to it are rewritten. */
export function prefetchUpdate(tree: ContentTree, change: UpdatePage): Prefetch {
  const { page: id, slug, rewriteLinks, baseRevision: revision } = change
  const page = tree.pageById.get(id)
  const path = page?.file?.path ?? page?.missing
  const moves = path !== undefined && slug && rewriteLinks !== false && slugOfFile(path) !== slug

  return {
    blob: page?.file?.oid,
    base: revision === undefined ? undefined : { revision, page: id },
    linksTo: moves ? [path] : [],
  }
}

/** Changes a page: body, metadata, title, slug and place, in this order. */
export function* updatePage(draft: Draft, change: UpdatePage): Asking<void> {
  const ref = draft.refs.get(change.page)
  const id = ref && 'page' in ref ? ref.page : change.page
  const base = yield* baseOf(draft, id, change.baseRevision)
  const page = pageOf(draft, id)

  refuseForKind(page, change)
  const title = change.title === undefined ? undefined : titleOf(change.title)
  if (base) checkTree(draft, page, base, change, title)

  const addresses = change.redirect ? addressesOf(page) : []
  const wanted = (yield* writePage(draft, page, change, base)) ?? title
  if (wanted !== undefined) yield* setTitle(draft, id, wanted)
  if (change.emoji !== undefined && !readFrontMatter(markdownIn(change)).keys.includes('emoji'))
    yield* setEmoji(draft, id, change.emoji, base)
  yield* placePage(draft, id, change)
  if (addresses.length > 0) yield* redirectMoved(draft, addresses)
  tellPage(draft, id, 'updated_page')
}

/** Throws 'conflict' if title, slug or parent were changed since the base revision. */
function checkTree(
  draft: Draft,
  page: PageNode,
  base: PageNode,
  { slug, into }: UpdatePage,
  title: string | undefined,
): void {
  checkFields(draft, page, base, {
    title: title === undefined ? undefined : splitEmoji(title).title,
    slug: slug || undefined,
    parent: into === null ? null : into && pageOf(draft, into).id,
  })
}

/**
 * Applies the place and the slug of a change. A move may write the table of contents, which decides
 * on whether addresses come from front matter.
 */
function* placePage(draft: Draft, id: string, change: UpdatePage): Asking<void> {
  if (change.into !== undefined || change.at !== undefined) yield* movePage(draft, id, change)
  if (change.slug && change.slug !== pageOf(draft, id).slug)
    yield* renamePage(draft, pageOf(draft, id), change.slug, change.rewriteLinks !== false)
}

/** Returns the Markdown that a change brings; '' for a block tree. */
const markdownIn = ({ document }: UpdatePage): string =>
  document && 'markdown' in document ? (document.markdown ?? '') : ''

/** Reports whether the Markdown of a change is the whole file. */
const isWhole = ({ document }: UpdatePage): boolean =>
  document !== undefined && 'markdown' in document && document.whole === true

/** Throws 'invalid' for fields that a group, a link or a computed page does not have. */
function refuseForKind(page: PageNode, change: UpdatePage): void {
  if (page.type === 'document') return
  if (page.type === 'group')
    throw invalid(`"${page.title}" is a group: change it with "update_group".`)
  const fits = [
    'operation',
    'page',
    'into',
    'at',
    'baseRevision',
    ...(page.type === 'link' ? ['title'] : []),
  ]
  const odd = Object.entries(change).find(
    ([key, value]) => value !== undefined && !fits.includes(key),
  )
  if (odd) throw invalid(`"${page.title}" is a ${page.type}: it has no "${odd[0]}".`)
}

type Keys = Partial<Record<keyof FrontMatter, string | boolean | null>>

/** Returns the front matter keys that a change sets; null removes a key. */
function keysOf(change: UpdatePage): Keys {
  const keys: Keys = {}
  if (change.description !== undefined) keys.description = change.description || null
  for (const name of ['icon', 'condition'] as const)
    if (change[name] !== undefined) keys[name] = change[name] || null
  for (const name of ['hidden', 'noIndex', 'noRobotsIndex'] as const)
    if (change[name] !== undefined) keys[name] = change[name] || null
  return keys
}

/** Writes body and metadata. Returns the title in the body if it differs from the current one. */
function* writePage(
  draft: Draft,
  page: PageNode,
  change: UpdatePage,
  base: PageNode | undefined,
): Asking<string | undefined> {
  const keys = keysOf(change)
  if (!writesFile(page, change, keys)) return undefined
  const path = page.file?.path ?? (yield* giveFile(draft, page.id))
  const old = yield* textAt(draft, path)
  if (base) yield* checkKeys(draft, pageOf(draft, page.id), base, keys)

  const markdown = markdownOf(draft, change.document, path)
  let text = old

  if (markdown !== undefined) {
    const whole = isWhole(change)
    text = yield* mergeBody(draft, pageOf(draft, page.id), base, { path, old, markdown, whole })
    dropKeysIn(markdown, keys)
  }

  text = editFrontMatter(text, keys)
  if (text === old) return undefined
  putText(draft, path, text)
  if (markdown !== undefined && !draft.submitted.has(path)) draft.submitted.set(path, old)
  yield* treeInSteps(draft)

  return titleBrought(draft, page, old, text)
}

/**
 * Removes the keys that the Markdown has as well: its front matter wins over the fields of the
 * change.
 */
function dropKeysIn(markdown: string, keys: Keys): void {
  const names = Object.keys(keys) as (keyof Keys)[]
  const own = names.length > 0 ? readFrontMatter(markdown).keys : []
  for (const name of names) if (own.includes(name === 'condition' ? 'if' : name)) delete keys[name]
}

/**
 * Returns whether body or metadata are to be written; a page without a file gets one only for
 * content.
 */
function writesFile(page: PageNode, { document }: UpdatePage, keys: Keys): boolean {
  if (document && ('markdown' in document || 'document' in document)) return true
  const values = Object.values(keys)
  return values.length > 0 && (page.file !== undefined || values.some(value => value !== null))
}

/** Returns the text of a page with a new body, merged with the changes since the base revision. */
function* mergeBody(
  draft: Draft,
  page: PageNode,
  base: PageNode | undefined,
  { path, old, markdown, whole }: { path: string; old: string; markdown: string; whole: boolean },
): Asking<string> {
  const seen = (base && (yield* baseText(draft, base))) ?? old
  const ours = markdown === seen || whole ? markdown : replaceBody(seen, markdown)
  const settled =
    ours === seen ? ours : settleLinks(draft, path, ours, { before: seen, last: false })
  return base && seen !== old ? yield* mergeSince(draft, page, base, settled, old) : settled
}

/**
 * Returns the title that a new text brings: from its front matter if that changed, from its heading
 * if that was the title.
 */
function titleBrought(draft: Draft, page: PageNode, old: string, text: string): string | undefined {
  if (!draft.summary) return undefined
  const title = readFrontMatter(text).data.title
  if (title?.trim() && title !== readFrontMatter(old).data.title) return titleOf(title)
  const [heading, fresh] = [old, text].map(each => findHeading(each, page.file?.path)?.text)
  if (!fresh?.trim() || fresh === heading) return undefined
  return heading === writtenTitle(page) || heading === page.title ? titleOf(fresh) : undefined
}

/** Creates the file of a page without one, and returns its path. */
function* giveFile(draft: Draft, id: string): Asking<string> {
  yield* structureOf(draft)
  const { summary, entry, page } = entryOf(draft, id)
  const { root } = treeOf(draft).config
  const named = page.missing?.startsWith(root) ? page.missing : undefined
  const path =
    named ?? pathForPage(draft, parentOf(treeOf(draft), page), { derived: page.slug }, page)

  // Taken before the file exists: the tree would list the file although it is not a page yet.
  const order = pagesInOrder(treeOf(draft))

  putText(draft, path, newPage({ title: writtenTitle(page), markdown: '' }))
  const target = targetFor(directoryOf(draft.tree.summaryPath), path)
  if (named === undefined) setSummary(draft, setEntryTarget(summary, entry, target), order)
  treeOf(draft)

  return path
}

/**
 * Changes the title of a page: its entry, and its heading and front matter if they have the same
 * title.
 */
function* setTitle(draft: Draft, id: string, title: string): Asking<void> {
  const page = pageOf(draft, id)
  const old = writtenTitle(page)
  const emoji = splitEmoji(title).emoji ?? splitEmoji(old).emoji
  yield* writeTitle(draft, page, joinEmoji(splitEmoji(title).title, emoji))
}

function* writeTitle(draft: Draft, page: PageNode, written: string): Asking<void> {
  yield* structureOf(draft)
  const order = pagesInOrder(treeOf(draft))
  yield* writeHeading(draft, page, written)

  if (!draft.summary) {
    // The tree takes the title from the file if the file has one.
    yield* treeInSteps(draft)
    if (writtenTitle(pageOf(draft, page.id)) === written) return
    yield* writeTitle(draft, entryOf(draft, page.id).page, written)
    return
  }

  const entry = page.entry!
  if (entry.title.trim() !== written)
    setSummary(draft, setEntryTitle(draft.summary, entry, written), order)
  yield
  yield* treeInSteps(draft)
}

/** Writes the title into the heading and the front matter of a page if they have the old title. */
function* writeHeading(draft: Draft, page: PageNode, written: string): Asking<void> {
  const old = writtenTitle(page)
  if (!page.file || old === written) return
  const text = yield* textAt(draft, page.file.path)
  const plain = splitEmoji(written).title
  const { path } = page.file
  const heading = findHeading(text, path)?.text
  let edited = text
  if (heading === old) edited = setHeading(edited, written, path)
  else if (heading === page.title) edited = setHeading(edited, plain, path)

  const own = readFrontMatter(text).data.title
  if (own !== undefined && (own === old || own === page.title))
    edited = editFrontMatter(edited, { title: own === old ? written : plain })
  putText(draft, page.file.path, edited)
}

/**
 * Sets or removes the emoji of a page: in its title if the title has one or the page has no file,
 * otherwise in the front matter.
 */
function* setEmoji(
  draft: Draft,
  id: string,
  emoji: string,
  base: PageNode | undefined,
): Asking<void> {
  const page = pageOf(draft, id)
  const written = splitEmoji(writtenTitle(page))
  if (written.emoji !== undefined || !page.file) {
    yield* writeTitle(draft, page, joinEmoji(written.title, emoji || undefined))
    if (emoji !== '' || !page.file) return
  }

  const path = page.file!.path
  const old = yield* textAt(draft, path)
  if (base) yield* checkKeys(draft, page, base, { emoji: emoji || null })
  putText(draft, path, editFrontMatter(old, { emoji: emoji || null }))
  yield* treeInSteps(draft)
}

/** Moves a page with its descendants. */
export function* movePage(
  draft: Draft,
  id: string,
  { into, at }: { into?: string | null | undefined; at?: number | undefined },
): Asking<void> {
  yield* structureOf(draft)
  summaryOf(draft)
  const page = pageOf(draft, id)
  const parent = page.parentId ?? null
  const wanted = into === undefined ? parent : into === null ? null : pageOf(draft, into).id
  if (at === undefined && wanted === parent) return

  const to = destinationOf(draft, wanted, at, page)
  const order = orderWith(draft, withDescendants(page), to.before)
  const { summary, entry } = entryOf(draft, id)

  yield
  setSummary(draft, moveEntry(summary, entry, to.place), order)
  yield
  yield* treeInSteps(draft)
}
