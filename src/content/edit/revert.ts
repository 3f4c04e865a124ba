import { Fault, invalid, missing } from '../../errors.ts'
import { directoryOf } from '../files.ts'
import { setEntryTitle } from '../summary/edit.ts'
import { insertGroup, setGroupTitle } from '../summary/groups.ts'
import { foldSlug, slugOfFile } from '../text/slug.ts'
import { type ContentTree, type PageNode, parentOf } from '../tree/build.ts'
import type { RevertPage } from './changes.ts'
import { deletePage } from './delete.ts'
import { type Draft, fileAt, putBytes, setSummary, tellPage } from './draft.ts'
import { insertInto } from './insert.ts'
import { folderFor, pathForPage, slugOfPath, takenPaths, targetFor } from './paths.ts'
import {
  destinationOf,
  entryOf,
  orderWith,
  pageOf,
  summaryOf,
  withDescendants,
  writtenTitle,
} from './places.ts'
import { blobOf, snapshotOf, structureOf } from './read.ts'
import { renamePage } from './rename.ts'
import type { Asking, Prefetch } from './requests.ts'
import { pagesInOrder, treeInSteps, treeOf } from './tree.ts'
import { movePage } from './update.ts'

/**
 * Returns the page in the revision that it is reverted to, and its path if links to it are to be
 * rewritten.
 */
export function prefetchRevert(tree: ContentTree, { page, revision = '' }: RevertPage): Prefetch {
  const path = tree.pageById.get(page)?.file?.path
  const slugOf = (path: string) => slugOfFile(path.slice(tree.config.root.length))
  return {
    base: { revision, page },
    linksTo: was =>
      path !== undefined && was?.file && slugOf(path) !== slugOf(was.file.path) ? [path] : [],
  }
}

/**
 * Reverts a page to another revision: removes a page added since, restores a deleted one, and
 * reverts the content of others.
 */
export function* revertPage(draft: Draft, change: RevertPage): Asking<void> {
  const then = yield* snapshotOf(draft, change.revision ?? '')
  if (!then) throw invalid('Name the revision to revert the page to with "revision".')
  yield* structureOf(draft)
  const was = then.pageById.get(change.page)
  const now = treeOf(draft).pageById.get(change.page)
  if (!was && !now) throw missing('page', change.page)
  if (!was) yield* removeAdded(draft, now!, then)
  else if (now) yield* putBack(draft, now, was, then)
  else yield* restore(draft, was, then)
}

function* removeAdded(draft: Draft, page: PageNode, then: ContentTree): Asking<void> {
  const kept = withDescendants(page).find(node => then.pageById.has(node.id))
  if (kept)
    throw new Fault(
      'not_empty',
      `The page "${page.title}" was added since that revision, but "${kept.title}" below it was not: move "${kept.title}" elsewhere first.`,
      { page: page.id, below: kept.id },
    )
  yield* deletePage(draft, { operation: 'delete_page', page: page.id })
}

function* putBack(draft: Draft, now: PageNode, was: PageNode, then: ContentTree): Asking<void> {
  const { id } = now
  const path = now.file?.path ?? now.missing
  const bytes = was.file && (yield* blobOf(draft, was.file.oid))
  if (bytes && path !== undefined) putBytes(draft, path, bytes)
  if (draft.summary) revertEntry(draft, id, was, then)

  const file = pageOf(draft, id).file?.path
  if (was.file && file && slugOfPath(draft, file) !== slugOfPath(draft, was.file.path))
    yield* renamePage(draft, pageOf(draft, id), slugOfPath(draft, was.file.path))
  if (draft.summary && was.type !== 'group') yield* revertParent(draft, id, was, then)
  yield* treeInSteps(draft)
  tellPage(draft, id, 'updated_page')
}

/** Reverts the title of a page in the table of contents. */
function revertEntry(draft: Draft, id: string, was: PageNode, then: ContentTree): void {
  if (was.type === 'group') {
    revertGroup(draft, id, was, then)
    return
  }
  if (writtenTitle(pageOf(draft, id)) === writtenTitle(was)) return
  const order = pagesInOrder(treeOf(draft))
  const { summary, entry } = entryOf(draft, id)
  setSummary(draft, setEntryTitle(summary, entry, writtenTitle(was)), order)
}

/** Moves a page back below its former parent, if that still exists. */
function* revertParent(draft: Draft, id: string, was: PageNode, then: ContentTree): Asking<void> {
  const parent = was.parentId ?? null
  if (parent !== null && !treeOf(draft).pageById.has(parent)) return
  if ((pageOf(draft, id).parentId ?? null) !== parent)
    yield* movePage(draft, id, { into: parent, at: siblingIndex(was, then) })
}

function revertGroup(draft: Draft, id: string, was: PageNode, then: ContentTree): void {
  const group = summaryOf(draft).groups[pageOf(draft, id).group]!
  const before = then.summary?.groups[was.group]
  if (!before || before.title === null) return

  const order = pagesInOrder(treeOf(draft))

  setSummary(
    draft,
    setGroupTitle(summaryOf(draft), group, before.title, before.anchor ?? ''),
    order,
  )
}

const siblingIndex = (page: PageNode, then: ContentTree): number =>
  (parentOf(then, page)?.pages ?? then.pages).indexOf(page)

/**
 * Restores a deleted page at its former place, or as near to it as still exists; its descendants
 * are not restored.
 */
function* restore(draft: Draft, was: PageNode, then: ContentTree): Asking<void> {
  if (was.type === 'computed')
    throw new Fault('content_not_editable', 'A computed page can be restored with Git only.')

  if (was.type === 'group') {
    yield* restoreGroup(draft, was, then)
    return
  }

  let above = parentOf(then, was)
  while (above && !treeOf(draft).pageById.has(above.id)) above = parentOf(then, above)
  const at = above?.id === was.parentId ? siblingIndex(was, then) : undefined
  const parent = above && pageOf(draft, above.id)
  const path = was.file && (yield* restoreFile(draft, was.file, parent))

  if (draft.summary) {
    const from = directoryOf(treeOf(draft).summaryPath)
    const target = path === undefined ? was.entry?.target : targetFor(from, path)
    yield* insertInto(draft, destinationOf(draft, parent?.id ?? null, at), {
      title: writtenTitle(was),
      ...(target !== undefined && { target }),
      ...(was.linkTitle && { linkTitle: was.linkTitle }),
    })
  }

  const tree = yield* treeInSteps(draft)
  const back =
    path === undefined
      ? pagesInOrder(tree).find(page => page.key === was.key)
      : tree.pageByFile.get(path)

  yield* claimId(draft, back?.key, was.id)
}

/** Writes the former file of a page, and returns its path. */
function* restoreFile(
  draft: Draft,
  file: NonNullable<PageNode['file']>,
  parent: PageNode | undefined,
): Asking<string> {
  const path = restoredPath(draft, file.path, parent)
  const bytes = yield* blobOf(draft, file.oid)
  if (!bytes)
    throw new Fault(
      'content_not_editable',
      'The file of this page is too large to be restored here.',
    )
  putBytes(draft, path, bytes)
  return path
}

function* restoreGroup(draft: Draft, was: PageNode, then: ContentTree): Asking<void> {
  const before = then.summary?.groups[was.group]
  const summary = summaryOf(draft)
  const order = orderWith(draft, [null], undefined)
  const title = before?.title ?? was.title
  const source = insertGroup(summary, summary.groups.length, {
    title,
    ...(before?.anchor && { anchor: before.anchor }),
  })

  setSummary(draft, source, order)
  yield* claimId(draft, pagesInOrder(yield* treeInSteps(draft)).at(-1)?.key, was.id)
}

/** Returns the former path of a page if it is free, otherwise another one. */
function restoredPath(draft: Draft, path: string, parent: PageNode | undefined): string {
  const taken = takenPaths(draft)
  if (
    !taken.has(foldSlug(path)) &&
    folderFor(draft, taken, directoryOf(path)) === directoryOf(path)
  )
    return path
  if (fileAt(draft, path) === undefined && taken.get(foldSlug(path)) === path) return path
  return pathForPage(draft, parent, { derived: slugOfPath(draft, path) })
}

/** Restores the former id of a key, unless another page or file has that id now. */
function* claimId(draft: Draft, key: string | undefined, id: string): Asking<void> {
  const tree = treeOf(draft)
  const page = key === undefined ? undefined : pagesInOrder(tree).find(node => node.key === key)
  if (!page) return

  if (page.id !== id && !tree.pageById.has(id) && !tree.fileById.has(id)) {
    draft.identity = new Map([...draft.identity, [page.key, id]])
    draft.stale = true
  }

  const back = pagesInOrder(yield* treeInSteps(draft)).find(node => node.key === key)
  if (back) tellPage(draft, back.id, 'created_page')
}
