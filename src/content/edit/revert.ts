import { Fault, invalid, missing } from '../../errors.ts'
import type { Steps } from '../../lib/slices.ts'
import { directoryOf } from '../files.ts'
import { setEntryTitle } from '../summary/edit.ts'
import { insertGroup, setGroupTitle } from '../summary/groups.ts'
import { foldSlug } from '../text/slug.ts'
import { type PageNode, parentOf } from '../tree/build.ts'
import type { RevertPage } from './changes.ts'
import { deletePage } from './delete.ts'
import { type Draft, fileAt, putBytes, type Snapshot, setSummary, tellPage } from './draft.ts'
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
import { renamePage } from './rename.ts'
import { pagesInOrder, treeInSteps, treeOf } from './tree.ts'
import { movePage } from './update.ts'

/** Reverts a page to another revision: removes a page added since, restores a deleted one, and reverts the content of others. */
export function* revertPage(draft: Draft, change: RevertPage): Steps<void> {
  const snapshot = draft.source.snapshots.get(change.revision ?? '')
  if (!snapshot) throw invalid('Name the revision to revert the page to with "revision".')
  const was = snapshot.tree.pageById.get(change.page)
  const now = treeOf(draft).pageById.get(change.page)
  if (!was && !now) throw missing('page', change.page)
  if (!was) yield* removeAdded(draft, now!, snapshot)
  else if (now) yield* putBack(draft, now, was, snapshot)
  else yield* restore(draft, was, snapshot)
}

function* removeAdded(draft: Draft, page: PageNode, snapshot: Snapshot): Steps<void> {
  const kept = withDescendants(page).find(node => snapshot.tree.pageById.has(node.id))
  if (kept)
    throw new Fault(
      'conflict',
      `The page "${page.title}" was added since that revision, but "${kept.title}" below it was not: move "${kept.title}" elsewhere first.`,
      { page: page.id, below: kept.id },
    )
  yield* deletePage(draft, { operation: 'delete_page', page: page.id })
}

function* putBack(draft: Draft, now: PageNode, was: PageNode, snapshot: Snapshot): Steps<void> {
  const { id } = now
  const path = now.file?.path ?? now.missing
  const bytes = was.file && snapshot.read(was.file.path)
  if (bytes && path !== undefined) putBytes(draft, path, bytes)
  if (draft.summary) revertEntry(draft, id, was, snapshot)
  const file = pageOf(draft, id).file?.path
  if (was.file && file && slugOfPath(draft, file) !== slugOfPath(draft, was.file.path))
    yield* renamePage(draft, pageOf(draft, id), slugOfPath(draft, was.file.path))
  if (draft.summary && was.type !== 'group') yield* revertParent(draft, id, was, snapshot)
  yield* treeInSteps(draft)
  tellPage(draft, id, 'updated_page')
}

/** Reverts the title of a page in the table of contents. */
function revertEntry(draft: Draft, id: string, was: PageNode, snapshot: Snapshot): void {
  if (was.type === 'group') {
    revertGroup(draft, id, was, snapshot)
    return
  }
  if (writtenTitle(pageOf(draft, id)) === writtenTitle(was)) return
  const order = pagesInOrder(treeOf(draft))
  const { summary, entry } = entryOf(draft, id)
  setSummary(draft, setEntryTitle(summary, entry, writtenTitle(was)), order)
}

/** Moves a page back below its former parent, if that still exists. */
function* revertParent(draft: Draft, id: string, was: PageNode, snapshot: Snapshot): Steps<void> {
  const parent = was.parentId ?? null
  if (parent !== null && !treeOf(draft).pageById.has(parent)) return
  if ((pageOf(draft, id).parentId ?? null) !== parent)
    yield* movePage(draft, id, { into: parent, at: siblingIndex(was, snapshot) })
}

function revertGroup(draft: Draft, id: string, was: PageNode, snapshot: Snapshot): void {
  const group = summaryOf(draft).groups[pageOf(draft, id).group]!
  const before = snapshot.tree.summary?.groups[was.group]
  if (!before || before.title === null) return
  const order = pagesInOrder(treeOf(draft))
  setSummary(draft, setGroupTitle(summaryOf(draft), group, before.title, before.anchor ?? ''), order)
}

const siblingIndex = (page: PageNode, snapshot: Snapshot): number =>
  (parentOf(snapshot.tree, page)?.pages ?? snapshot.tree.pages).indexOf(page)

/** Restores a deleted page at its former place, or as near to it as still exists; its descendants are not restored. */
function* restore(draft: Draft, was: PageNode, snapshot: Snapshot): Steps<void> {
  if (was.type === 'computed') throw invalid('A computed page can be restored with Git only.')
  if (was.type === 'group') {
    yield* restoreGroup(draft, was, snapshot)
    return
  }
  let above = parentOf(snapshot.tree, was)
  while (above && !treeOf(draft).pageById.has(above.id)) above = parentOf(snapshot.tree, above)
  const at = above?.id === was.parentId ? siblingIndex(was, snapshot) : undefined
  const parent = above && pageOf(draft, above.id)
  const path = was.file && restoreFile(draft, was.file.path, parent, snapshot)
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
    path === undefined ? pagesInOrder(tree).find(page => page.key === was.key) : tree.pageByFile.get(path)
  yield* claimId(draft, back?.key, was.id)
}

/** Writes the former file of a page, and returns its path. */
function restoreFile(draft: Draft, from: string, parent: PageNode | undefined, snapshot: Snapshot): string {
  const path = restoredPath(draft, from, parent)
  const bytes = snapshot.read(from)
  if (!bytes) throw invalid('The file of this page is too large to be restored here.')
  putBytes(draft, path, bytes)
  return path
}

function* restoreGroup(draft: Draft, was: PageNode, snapshot: Snapshot): Steps<void> {
  const before = snapshot.tree.summary?.groups[was.group]
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
  if (!taken.has(foldSlug(path)) && folderFor(draft, taken, directoryOf(path)) === directoryOf(path))
    return path
  if (fileAt(draft, path) === undefined && taken.get(foldSlug(path)) === path) return path
  return pathForPage(draft, parent, { derived: slugOfPath(draft, path) })
}

/** Restores the former id of a key, unless another page or file has that id now. */
function* claimId(draft: Draft, key: string | undefined, id: string): Steps<void> {
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
