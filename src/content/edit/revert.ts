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

/** Makes a page what it was in another revision: one that is new goes, one that went comes back, others are put back. */
export function* revertPage(draft: Draft, change: RevertPage): Steps<void> {
  const snapshot = draft.source.snapshots.get(change.revision ?? '')
  if (!snapshot) throw invalid('Say with "revision" which revision the page is to be reverted to.')
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
      `The page "${page.title}" was added since, but "${kept.title}" below it was not: move that one elsewhere first.`,
      { page: page.id, below: kept.id },
    )
  yield* deletePage(draft, { operation: 'delete_page', page: page.id })
}

function* putBack(draft: Draft, now: PageNode, was: PageNode, snapshot: Snapshot): Steps<void> {
  const { id } = now
  const path = now.file?.path ?? now.missing
  const bytes = was.file && snapshot.read(was.file.path)
  if (bytes && path !== undefined) putBytes(draft, path, bytes)
  if (draft.summary && was.type === 'group') revertGroup(draft, id, was, snapshot)
  else if (draft.summary && writtenTitle(pageOf(draft, id)) !== writtenTitle(was)) {
    const order = pagesInOrder(treeOf(draft))
    const { summary, entry } = entryOf(draft, id)
    setSummary(draft, setEntryTitle(summary, entry, writtenTitle(was)), order)
  }
  const file = pageOf(draft, id).file?.path
  if (was.file && file && slugOfPath(draft, file) !== slugOfPath(draft, was.file.path))
    yield* renamePage(draft, pageOf(draft, id), slugOfPath(draft, was.file.path))
  const parent = was.parentId ?? null
  const stands = parent === null || treeOf(draft).pageById.has(parent)
  if (draft.summary && stands && (pageOf(draft, id).parentId ?? null) !== parent && was.type !== 'group')
    yield* movePage(draft, id, { into: parent, at: siblingIndex(was, snapshot) })
  yield* treeInSteps(draft)
  tellPage(draft, id, 'updated_page')
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

/** Brings a page back that was deleted: where it stood, as far as that is still there; what stood below it stays away. */
function* restore(draft: Draft, was: PageNode, snapshot: Snapshot): Steps<void> {
  if (was.type === 'computed') throw invalid('A computed page can be brought back with Git only.')
  if (was.type === 'group') {
    yield* restoreGroup(draft, was, snapshot)
    return
  }
  let above = parentOf(snapshot.tree, was)
  while (above && !treeOf(draft).pageById.has(above.id)) above = parentOf(snapshot.tree, above)
  const at = above?.id === was.parentId ? siblingIndex(was, snapshot) : undefined
  const parent = above && pageOf(draft, above.id)
  const path = was.file && restoredPath(draft, was.file.path, parent)
  if (path !== undefined) {
    const bytes = snapshot.read(was.file!.path)
    if (!bytes) throw invalid('The file of this page is too large to be brought back here.')
    putBytes(draft, path, bytes)
  }
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

/** The path that the page had, when it is free; else one that is. */
function restoredPath(draft: Draft, path: string, parent: PageNode | undefined): string {
  const taken = takenPaths(draft)
  if (!taken.has(foldSlug(path)) && folderFor(draft, taken, directoryOf(path)) === directoryOf(path))
    return path
  if (fileAt(draft, path) === undefined && taken.get(foldSlug(path)) === path) return path
  return pathForPage(draft, parent, { derived: slugOfPath(draft, path) })
}

/** Gives a key the id that it had, unless another page has that now. */
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
