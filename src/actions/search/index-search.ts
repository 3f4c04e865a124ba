import { stateSlot } from '../../caches.ts'
import { areShownToAll } from '../../content/evaluate/shown-tree.ts'
import { isMarkdown } from '../../content/files.ts'
import type { PageNode } from '../../content/tree/build.ts'
import { configPath, isToolSettings } from '../../content/tree/config.ts'
import type { RevisionView } from '../../content/tree/view.ts'
import type { Context } from '../../context.ts'
import type { Repository } from '../../git/process/processes.ts'
import { type ChangedFile, changedFiles } from '../../git/trees/changed-files.ts'
import { isGitError } from '../../git/values/errors.ts'
import type { Oid } from '../../lib/oid.ts'
import { pauses } from '../../lib/slices.ts'
import {
  deleteSomeOfSearch,
  findSearchSpace,
  listSearchPages,
  openSearchSpace,
  pageRange,
  updateSearchSpace,
} from '../../store/search/search-index.ts'
import type { SearchPageRow, SearchSpaceRow, SpaceRow } from '../../store/tables/rows.ts'
import { headOf, primaryRef } from '../repositories/head-of.ts'
import { spaceRepository } from '../repositories/space-repository.ts'
import { viewRevision } from '../revisions/view-revision.ts'
import { withComputed } from '../specs/computed-pages.ts'
import {
  type Indexing,
  indexPages,
  isFindable,
  isSame,
  locationOf,
  type Moved,
  sameLocation,
  updateLocations,
} from './index-pages.ts'
import { type SearchSource, searchSource } from './search-source.ts'

/**
 * The version of the index format. It changes when the same content has other words or is shown
 * otherwise, which rebuilds the index.
 */
export const indexer = 8

/** Beyond this many changed files, all pages are compared. */
const mostChanges = 500
/**
 * Searches wait for updates of up to this many pages. During a larger update, they use the index as
 * it is.
 */
const fewPages = 200
/** How many pages of change requests and old revisions the index may gather before it is cleaned up. */
export const mostOthers = 2_000
/** How many pages are deleted in one transaction, which blocks the event loop. */
const mostDeleted = 20

/**
 * Returns a space's row of the index, emptied if its format is outdated; undefined if the space is
 * gone.
 */
async function openIndex(ctx: Context, spaceId: string): Promise<SearchSpaceRow | undefined> {
  const row = openSearchSpace(ctx.store, spaceId, indexer)
  if (!row || row.indexer === indexer) return row
  const pause = pauses()
  while (deleteSomeOfSearch(ctx.store, spaceId, mostDeleted) > 0) await pause()
  return openSearchSpace(ctx.store, spaceId, indexer)
}

/**
 * Returns the pages that may differ between the index and a revision; 'all' if every page has to be
 * compared.
 */
async function pagesToIndex(
  repo: Repository,
  row: SearchSpaceRow,
  { content, stamp, view: { treeOid } }: SearchSource,
): Promise<PageNode[] | 'all'> {
  if (row.revision === null || row.tree === null || row.stamp !== stamp) return 'all'
  const changes = await changedFiles(repo, row.tree, treeOid, mostChanges).catch(error => {
    // The tree that was indexed last no longer exists.
    if (isGitError(error, 'object_unreadable') || isGitError(error, 'not_found')) return undefined
    throw error
  })
  if (!changes) return 'all'

  const nodes: PageNode[] = []

  for (const change of changes) {
    if (affectsAll(content, change)) return 'all'
    const node = content.pageByFile.get(change.path)
    if (!node) continue
    nodes.push(node)
    // Its condition may have changed, which holds for the pages below it.
    if (row.hides === 1 || !areShownToAll([node])) nodes.push(...pagesBelow(node))
  }

  return [...new Set(nodes)]
}

const pagesBelow = ({ pages }: PageNode): PageNode[] =>
  pages.flatMap(page => [page, ...pagesBelow(page)])

/** Returns whether a changed file may change the index rows of pages other than its own. */
function affectsAll(
  content: SearchSource['content'],
  { path, before, after }: ChangedFile,
): boolean {
  if (path === content.config.summary || path === configPath || isToolSettings(path)) return true
  if ((!before || !after) && isMarkdown(path)) return true
  // Without a table of contents its title may have changed, which the pages below it show.
  return !content.summary && (content.pageByFile.get(path)?.pages.length ?? 0) > 0
}

/** How far the index covers a revision: `whole` if it has all pages. */
export type Coverage = { space: SearchSpaceRow; whole: boolean }

type Bounds = {
  /** The most pages to add; others are left out. */
  most?: number
  /** The most pages to compare. */
  mostCompared?: number
  signal?: AbortSignal | undefined
}

/** How often pages were removed from an index, perhaps ones that a change request needs. */
const counters = stateSlot(() => ({ evictions: 0, running: new Set<string>() }))

/** The state of the index when it had all pages of a view. */
const known = new WeakMap<RevisionView, string>()

/**
 * Adds the pages that the index lacks of a change request's revision, or of an old one. The cost depends on its
 * difference from the primary content. Undefined if the space is gone.
 */
export async function indexBranch(
  ctx: Context,
  spaceId: string,
  source: SearchSource,
  { most, signal }: Bounds = {},
): Promise<Coverage | undefined> {
  const space = await openIndex(ctx, spaceId)
  if (!space) return undefined
  const { view, content } = source
  const state = stateOf(ctx, space) + source.stamp
  if (hasAll(space, source) || known.get(view) === state) return { space, whole: true }

  const repo = spaceRepository(ctx, spaceId)
  const wanted = await pagesToIndex(repo, space, source)
  const nodes = wanted === 'all' ? [...content.pageById.values()] : wanted
  const indexing = { repo, source, number: space.number, head: false, signal }
  const { whole } = await indexPages(ctx, indexing, nodes, most)
  if (whole) known.set(view, state)

  return { space, whole }
}

/**
 * Updates the index of a space to a revision of its primary content, in slices. With
 * `mostCompared`, does nothing if more pages would have to be compared or another long update is
 * running. After a crash, continues where it stopped. Returns undefined if the space is gone.
 */
export async function indexPrimary(
  ctx: Context,
  spaceId: string,
  source: SearchSource,
  bounds: Bounds = {},
): Promise<Coverage | undefined> {
  const { running } = ctx.caches.get(counters)
  const bounded = bounds.mostCompared !== undefined
  if (bounded && running.has(spaceId)) return currentCoverage(ctx, spaceId, source)

  return ctx.locks.run(`search ${spaceId}`, async () => {
    const space = await openIndex(ctx, spaceId)
    // Only the job removes what the index has gathered of other revisions.
    const isTidy = bounded || (space?.others ?? 0) <= mostOthers
    if (!space || (hasAll(space, source) && isTidy)) return space && { space, whole: true }
    const repo = spaceRepository(ctx, spaceId)
    const wanted = await pagesToIndex(repo, space, source)
    const all = wanted === 'all' || space.others > mostOthers
    const compared = all ? source.content.pageById.size : wanted.length
    if (compared > (bounds.mostCompared ?? Number.POSITIVE_INFINITY)) return { space, whole: false }

    const patient = !bounded
    const indexing = {
      repo,
      source,
      number: space.number,
      head: true,
      patient,
      signal: bounds.signal,
    }
    if (compared > fewPages) running.add(spaceId)

    try {
      return await updateIndex(ctx, indexing, space, all ? 'all' : wanted, bounds.most)
    } finally {
      running.delete(spaceId)
    }
  })
}

/** Updates the index of primary content by these pages. Hold its lock. */
async function updateIndex(
  ctx: Context,
  indexing: Indexing,
  space: SearchSpaceRow,
  wanted: PageNode[] | 'all',
  most: number | undefined,
): Promise<Coverage> {
  const { view, stamp, content } = indexing.source
  const all = wanted === 'all'

  // Old pages are removed before new ones are added, so an interrupted update covers neither the
  // old tree nor the new one.
  if ((all ? content.pageById.size : wanted.length) > 0)
    ctx.store.transact(() => updateSearchSpace(ctx.store, space.number, { tree: null }))

  const nodes = all ? await unseenPages(ctx, indexing) : wanted
  const { whole } = await indexPages(ctx, indexing, nodes, most)
  if (!whole) return { space, whole }

  const isKnown = !all && space.hides === 0
  const hides: 0 | 1 = areShownToAll(isKnown ? nodes : content.pageById.values()) ? 0 : 1
  const reached = {
    revision: view.oid,
    tree: view.treeOid,
    stamp,
    hides,
    ...(all && { others: 0 }),
  }

  ctx.store.transact(() => updateSearchSpace(ctx.store, space.number, reached))

  return { space: { ...space, ...reached }, whole }
}

const stateOf = (
  ctx: Context,
  { number, revision, tree, stamp }: Pick<SearchSpaceRow, 'number' | 'revision' | 'tree' | 'stamp'>,
): string => JSON.stringify([number, revision, tree, stamp, ctx.caches.get(counters).evictions])

/**
 * Returns the state of the index of a space: it changes when the index turns to another revision or
 * loses pages.
 */
export function indexState(ctx: Context, spaceId: string): string {
  const space = findSearchSpace(ctx.store, spaceId)
  return space ? stateOf(ctx, space) : ''
}

/** Returns how far the index covers a revision of the primary content, without updating it. */
export function currentCoverage(
  ctx: Context,
  spaceId: string,
  source: SearchSource,
): Coverage | undefined {
  const space = findSearchSpace(ctx.store, spaceId)
  return space && { space, whole: hasAll(space, source) }
}

const hasAll = ({ revision, tree, stamp }: SearchSpaceRow, source: SearchSource): boolean =>
  revision === source.view.oid && tree !== null && stamp === source.stamp

/**
 * Removes index rows that the revision does not have and updates the locations of the others.
 * Returns the pages that the index lacks.
 */
async function unseenPages(
  ctx: Context,
  { source, number, signal }: Indexing,
): Promise<PageNode[]> {
  const { pageById } = source.content
  const seen = new Set<string>()
  const pause = pauses()

  for (let after = pageRange(number)[0] - 1; ; ) {
    signal?.throwIfAborted()
    if (!source.mayKeep()) return []
    const rows = listSearchPages(ctx.store, number, 100, after)
    const gone: SearchPageRow[] = []
    const moved: Moved[] = []

    for (const row of rows) {
      const node = pageById.get(row.page_id)
      if (!node || !isFindable(node) || !isSame(source, row, node) || seen.has(row.page_id)) {
        gone.push(row)
        continue
      }
      seen.add(row.page_id)
      const place = locationOf(source, node, true)
      if (!sameLocation(row, place)) moved.push([row.id, place])
    }

    if (gone.length > 0) ctx.caches.get(counters).evictions++
    updateLocations(ctx, gone, moved)
    const last = rows.at(-1)
    if (!last) break
    after = last.id
    await pause()
  }

  return [...pageById.values()].filter(node => isFindable(node) && !seen.has(node.id))
}

/** Returns the searchable primary content of a space at a head. */
export async function primarySource(
  ctx: Context,
  { id, organization_id }: Pick<SpaceRow, 'id' | 'organization_id'>,
  head: Oid,
): Promise<SearchSource> {
  const mayKeep = ctx.store.watchErasing()
  const view = await viewRevision(ctx, id, head)
  return searchSource(view, await withComputed(ctx, organization_id, view), mayKeep)
}

/** Rebuilds the index of a space from its primary content. */
export async function reindexSearch(ctx: Context, space: SpaceRow): Promise<void> {
  const pause = pauses()
  while (deleteSomeOfSearch(ctx.store, space.id, mostDeleted) > 0) await pause()
  const head = headOf(ctx, space.id, primaryRef(ctx, space.id))
  if (head) await indexPrimary(ctx, space.id, await primarySource(ctx, space, head))
}
