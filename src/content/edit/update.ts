import { invalid } from '../../errors.ts'
import type { Steps } from '../../lib/slices.ts'
import { directoryOf } from '../files.ts'
import { type FrontMatter, readFrontMatter } from '../markdown/front-matter.ts'
import { findHeading, newPage, replaceBody, setHeading } from '../page/edit.ts'
import { editFrontMatter } from '../page/front-matter-edit.ts'
import { moveEntry, setEntryTarget, setEntryTitle } from '../summary/edit.ts'
import { type PageNode, parentOf } from '../tree/build.ts'
import { joinEmoji, splitEmoji } from '../tree/titles.ts'
import { type Base, baseOf, baseText, checkFields, checkKeys, mergeSince } from './base.ts'
import type { UpdatePage } from './changes.ts'
import { type Draft, putText, setSummary, tellPage, textAt } from './draft.ts'
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
import { addressesOf, redirectMoved } from './redirects.ts'
import { renamePage } from './rename.ts'
import { markdownOf, settleLinks } from './settle-links.ts'
import { pagesInOrder, treeInSteps, treeOf } from './tree.ts'

/** Changes a page: body, metadata, title, slug, place, in this order. */
export function* updatePage(draft: Draft, change: UpdatePage): Steps<void> {
  const ref = draft.refs.get(change.page)
  const id = ref && 'page' in ref ? ref.page : change.page
  const base = baseOf(draft, id, change.baseRevision)
  const page = pageOf(draft, id)
  refuseForKind(page, change)
  const title = change.title === undefined ? undefined : titleOf(change.title)
  if (base)
    checkFields(draft, page, base, {
      title: title === undefined ? undefined : splitEmoji(title).title,
      slug: change.slug || undefined,
      parent: change.into === null ? null : change.into && pageOf(draft, change.into).id,
    })
  const addresses = change.redirect ? addressesOf(page) : []
  const from = writePage(draft, page, change, base)
  const wanted = from ?? title
  if (wanted !== undefined) yield* setTitle(draft, id, wanted)
  const given = change.document && 'markdown' in change.document ? (change.document.markdown ?? '') : ''
  if (change.emoji !== undefined && !readFrontMatter(given).keys.includes('emoji'))
    yield* setEmoji(draft, id, change.emoji, base)
  if (change.slug && change.slug !== pageOf(draft, id).slug)
    yield* renamePage(draft, pageOf(draft, id), change.slug, change.rewriteLinks !== false)
  if (change.into !== undefined || change.at !== undefined) yield* movePage(draft, id, change)
  if (addresses.length > 0) redirectMoved(draft, addresses)
  tellPage(draft, id, 'updated_page')
}

/** Throws 'invalid' for what a group, a link or a computed page does not have. */
function refuseForKind(page: PageNode, change: UpdatePage): void {
  if (page.type === 'document') return
  if (page.type === 'group') throw invalid(`"${page.title}" is a group: change it with "update_group".`)
  const fits = ['operation', 'page', 'into', 'at', 'baseRevision', ...(page.type === 'link' ? ['title'] : [])]
  const odd = Object.entries(change).find(([key, value]) => value !== undefined && !fits.includes(key))
  if (odd) throw invalid(`"${page.title}" is a ${page.type}: it has no "${odd[0]}".`)
}

type Keys = Partial<Record<keyof FrontMatter, string | boolean | null>>

/** What the fields of a change set in the front matter; null takes a key away. */
function keysOf(change: UpdatePage): Keys {
  const keys: Keys = {}
  if (change.description !== undefined) keys.description = change.description || null
  for (const name of ['icon', 'condition'] as const)
    if (change[name] !== undefined) keys[name] = change[name] || null
  for (const name of ['hidden', 'noIndex', 'noRobotsIndex'] as const)
    if (change[name] !== undefined) keys[name] = change[name] || null
  return keys
}

/** Writes body and metadata. Gives the title that the body brings, where it brings another one. */
function writePage(
  draft: Draft,
  page: PageNode,
  change: UpdatePage,
  base: Base | undefined,
): string | undefined {
  const keys = keysOf(change)
  const says = Object.values(keys).some(value => value !== null)
  const hasBody = change.document && ('markdown' in change.document || 'document' in change.document)
  if (!hasBody && Object.keys(keys).length === 0) return undefined
  if (!page.file && !hasBody && !says) return undefined
  const path = page.file?.path ?? giveFile(draft, page.id)
  const old = textAt(draft, path)
  if (base) checkKeys(draft, pageOf(draft, page.id), base, keys)
  const markdown = markdownOf(draft, change.document, path)
  let text = old
  if (markdown !== undefined) {
    const seen = (base && baseText(base)) ?? old
    const ours = markdown === seen ? seen : replaceBody(seen, markdown)
    const settled = ours === seen ? ours : settleLinks(draft, path, ours, { before: seen, last: false })
    text = base && seen !== old ? mergeSince(draft, pageOf(draft, page.id), base, settled, old) : settled
    const own = readFrontMatter(markdown).keys
    for (const key of Object.keys(keys))
      if (own.includes(key === 'condition' ? 'if' : key)) delete keys[key as keyof Keys]
  }
  text = editFrontMatter(text, keys)
  if (text === old) return undefined
  putText(draft, path, text)
  if (markdown !== undefined && !draft.submitted.has(path)) draft.submitted.set(path, old)
  return titleBrought(draft, page, old, text)
}

/** The title that a new text asks for: its front matter's when that changed, its heading when that was the title. */
function titleBrought(draft: Draft, page: PageNode, old: string, text: string): string | undefined {
  if (!draft.summary) return undefined
  const [before, now] = [readFrontMatter(old).data.title, readFrontMatter(text).data.title]
  if (now?.trim() && now !== before) return titleOf(now)
  const [heading, fresh] = [findHeading(old)?.text, findHeading(text)?.text]
  if (!fresh?.trim() || fresh === heading) return undefined
  return heading === writtenTitle(page) || heading === page.title ? titleOf(fresh) : undefined
}

/** Makes the file of a page that has none; gives its path. */
function giveFile(draft: Draft, id: string): string {
  const { summary, entry, page } = entryOf(draft, id)
  const { root } = treeOf(draft).config
  const named = page.missing?.startsWith(root) ? page.missing : undefined
  const path = named ?? pathForPage(draft, parentOf(treeOf(draft), page), { derived: page.slug }, page)
  // Before the file is there: it is no page yet, but the tree would know it.
  const order = pagesInOrder(treeOf(draft))
  putText(draft, path, newPage({ title: writtenTitle(page), markdown: '' }))
  const target = targetFor(directoryOf(draft.tree.summaryPath), path)
  if (named === undefined) setSummary(draft, setEntryTarget(summary, entry, target), order)
  treeOf(draft)
  return path
}

/** Changes a page's title: its line, and its heading and front matter where they said the same. */
function* setTitle(draft: Draft, id: string, title: string): Steps<void> {
  const page = pageOf(draft, id)
  const old = writtenTitle(page)
  const emoji = splitEmoji(title).emoji ?? splitEmoji(old).emoji
  yield* writeTitle(draft, page, joinEmoji(splitEmoji(title).title, emoji))
}

function* writeTitle(draft: Draft, page: PageNode, written: string): Steps<void> {
  const order = pagesInOrder(treeOf(draft))
  writeHeading(draft, page, written)
  if (!draft.summary) {
    // The tree takes the title from the file, when the file says it.
    yield* treeInSteps(draft)
    if (writtenTitle(pageOf(draft, page.id)) === written) return
    yield* writeTitle(draft, entryOf(draft, page.id).page, written)
    return
  }
  const entry = page.entry!
  if (entry.title.trim() !== written) setSummary(draft, setEntryTitle(draft.summary, entry, written), order)
  yield
  yield* treeInSteps(draft)
}

/** Gives the page's heading and front matter the title, where they say what it was. */
function writeHeading(draft: Draft, page: PageNode, written: string): void {
  const old = writtenTitle(page)
  if (!page.file || old === written) return
  const text = textAt(draft, page.file.path)
  const plain = splitEmoji(written).title
  const heading = findHeading(text)?.text
  let edited = text
  if (heading === old) edited = setHeading(edited, written)
  else if (heading === page.title) edited = setHeading(edited, plain)
  const own = readFrontMatter(text).data.title
  if (own !== undefined && (own === old || own === page.title))
    edited = editFrontMatter(edited, { title: own === old ? written : plain })
  putText(draft, page.file.path, edited)
}

/** Sets or takes away a page's emoji: in its title when it stands there or there is no file, else in the front matter. */
function* setEmoji(draft: Draft, id: string, emoji: string, base: Base | undefined): Steps<void> {
  const page = pageOf(draft, id)
  const written = splitEmoji(writtenTitle(page))
  if (written.emoji !== undefined || !page.file) {
    yield* writeTitle(draft, page, joinEmoji(written.title, emoji || undefined))
    if (emoji !== '' || !page.file) return
  }
  const path = page.file!.path
  const old = textAt(draft, path)
  if (base) checkKeys(draft, page, base, { emoji: emoji || null })
  putText(draft, path, editFrontMatter(old, { emoji: emoji || null }))
}

/** Moves a page with all below it. */
export function* movePage(
  draft: Draft,
  id: string,
  { into, at }: { into?: string | null | undefined; at?: number | undefined },
): Steps<void> {
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
