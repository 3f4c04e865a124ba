import { isMarkdown } from '../../content/files.ts'
import type { PageNode } from '../../content/tree/build.ts'
import { configPath } from '../../content/tree/config.ts'
import type { RevisionView } from '../../content/tree/view.ts'
import type { Context } from '../../context.ts'
import type { Repository } from '../../git/process/processes.ts'
import { defaultBranch } from '../../git/refs/default-branch.ts'
import { readRef } from '../../git/refs/refs.ts'
import { changedFiles } from '../../git/trees/changed-files.ts'
import { isGitError } from '../../git/values/errors.ts'
import type { Oid } from '../../git/values/oid.ts'
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
import { spaceRepository } from '../repositories/space-repository.ts'
import { viewRevision } from '../revisions/view-revision.ts'
import { withComputed } from '../specs/computed-pages.ts'
import {
  type Indexing,
  indexPages,
  isFindable,
  isPlaced,
  isSame,
  type Moved,
  placeOf,
  putInPlace,
} from './index-pages.ts'
import { type SearchSource, searchSource } from './search-source.ts'

/** Changes whenever the same content would be found by other words, or shown otherwise: the index is made anew then. */
export const indexer = 2

/** More changed files than this, and all pages are compared. */
const mostChanges = 500
/** How many pages of others than the primary content the index may have gathered before it is looked through. */
const mostOthers = 2_000
/** How many pages go in one transaction, while nobody else is served. */
const mostDeleted = 20

/** A space in the index, brought up; undefined when it is not there any more. */
async function openIndex(ctx: Context, spaceId: string): Promise<SearchSpaceRow | undefined> {
  const row = openSearchSpace(ctx.store, spaceId, indexer)
  if (!row || row.indexer === indexer) return row
  const pause = pauses()
  while (deleteSomeOfSearch(ctx.store, spaceId, mostDeleted) > 0) await pause()
  return openSearchSpace(ctx.store, spaceId, indexer)
}

/** The pages that may not be in the index as a revision has them; 'all' when that takes a look at every page. */
async function pagesToIndex(
  repo: Repository,
  row: SearchSpaceRow,
  { content, stamp, view: { treeOid } }: SearchSource,
): Promise<PageNode[] | 'all'> {
  if (row.revision === null || row.tree === null || row.stamp !== stamp) return 'all'
  const changes = await changedFiles(repo, row.tree as Oid, treeOid as Oid, mostChanges).catch(error => {
    // What was indexed last is not there any more.
    if (isGitError(error, 'object_unreadable') || isGitError(error, 'not_found')) return undefined
    throw error
  })
  if (!changes) return 'all'
  const nodes: PageNode[] = []
  for (const { path, before, after } of changes) {
    if (path === content.config.summary || path === configPath) return 'all'
    if ((!before || !after) && isMarkdown(path)) return 'all'
    const node = content.pageByFile.get(path)
    // Without a table of contents its title may be another one, and those below it tell that.
    if (node && node.pages.length > 0 && !content.summary) return 'all'
    if (node) nodes.push(node)
  }
  return nodes
}

/** What an index can say of a revision: `whole`, or how far it has come. */
export type Reach = { space: SearchSpaceRow; whole: boolean }

type Bounds = {
  /** The most pages that may be put into the index; what is over that is left. */
  most?: number
  /** The most pages that may be compared. */
  mostCompared?: number
  signal?: AbortSignal | undefined
}

/** How many times an index was looked through and something went, perhaps what a change request had put there. */
let looks = 0

/** What was indexed of the primary content when all pages of a view were there. */
const known = new WeakMap<RevisionView, string>()

/**
 * Sees to it that the index has all pages of a revision that is not the primary content: of a change request. Costs what
 * differs between the two. Undefined when the space is not there any more.
 */
export async function indexBeside(
  ctx: Context,
  spaceId: string,
  source: SearchSource,
  { most, signal }: Bounds = {},
): Promise<Reach | undefined> {
  const space = await openIndex(ctx, spaceId)
  if (!space) return undefined
  const { view, content } = source
  const against = JSON.stringify([space.number, space.revision, space.tree, space.stamp, source.stamp, looks])
  if (hasAll(space, source) || known.get(view) === against) return { space, whole: true }
  const repo = spaceRepository(ctx, spaceId)
  const wanted = await pagesToIndex(repo, space, source)
  const nodes = wanted === 'all' ? [...content.pageById.values()] : wanted
  const indexing = { repo, source, number: space.number, head: false, signal }
  const { whole } = await indexPages(ctx, indexing, nodes, most)
  if (whole) known.set(view, against)
  return { space, whole }
}

const working = new Set<string>()

/**
 * Brings the index of a space up to a revision of its primary content, in slices; within bounds, if such are given, and
 * otherwise not at all: also when somebody else is at it. What was done before a crash is not done again. Undefined when
 * the space is not there any more.
 */
export async function indexPrimary(
  ctx: Context,
  spaceId: string,
  source: SearchSource,
  bounds: Bounds = {},
): Promise<Reach | undefined> {
  const bounded = bounds.mostCompared !== undefined
  if (bounded && working.has(spaceId)) return asItIs(ctx, spaceId, source)
  return ctx.locks.run(`search ${spaceId}`, async () => {
    const space = await openIndex(ctx, spaceId)
    if (!space || hasAll(space, source)) return space && { space, whole: true }
    const repo = spaceRepository(ctx, spaceId)
    const wanted = await pagesToIndex(repo, space, source)
    const all = wanted === 'all' || space.others > mostOthers
    const compared = all ? source.content.pageById.size : wanted.length
    if (compared > (bounds.mostCompared ?? Number.POSITIVE_INFINITY)) return { space, whole: false }
    const indexing = {
      repo,
      source,
      number: space.number,
      head: true,
      patient: !bounded,
      signal: bounds.signal,
    }
    working.add(spaceId)
    try {
      // Pages go before others come: should it end in between, the index has not even what it had.
      if (compared > 0)
        ctx.store.transactUnsynced(() => updateSearchSpace(ctx.store, space.number, { tree: null }))
      const nodes = all ? await unseenPages(ctx, indexing) : wanted
      const { whole } = await indexPages(ctx, indexing, nodes, bounds.most)
      if (!whole) return { space, whole }
      const { view, stamp } = source
      const reached = { revision: view.oid, tree: view.treeOid, stamp, ...(all && { others: 0 }) }
      ctx.store.transactUnsynced(() => updateSearchSpace(ctx.store, space.number, reached))
      return { space: { ...space, ...reached }, whole }
    } finally {
      working.delete(spaceId)
    }
  })
}

/** What the index can say of a revision of the primary content as it is. */
export function asItIs(ctx: Context, spaceId: string, source: SearchSource): Reach | undefined {
  const space = findSearchSpace(ctx.store, spaceId)
  return space && { space, whole: hasAll(space, source) }
}

const hasAll = ({ revision, tree, stamp }: SearchSpaceRow, source: SearchSource): boolean =>
  revision === source.view.oid && tree !== null && stamp === source.stamp

/**
 * Looks through all that the index has of a space: what the revision does not have goes. Gives the pages that are not
 * there.
 */
async function unseenPages(ctx: Context, { source, number, signal }: Indexing): Promise<PageNode[]> {
  const { pageById } = source.content
  const seen = new Set<string>()
  const pause = pauses()
  for (let after = pageRange(number)[0] - 1; ; ) {
    signal?.throwIfAborted()
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
      const place = placeOf(source, node, true)
      if (!isPlaced(row, place)) moved.push([row.id, place])
    }
    if (gone.length > 0) looks++
    putInPlace(ctx, gone, moved)
    const last = rows.at(-1)
    if (!last) break
    after = last.id
    await pause()
  }
  return [...pageById.values()].filter(node => isFindable(node) && !seen.has(node.id))
}

/** The primary content of a space as it is searched, at one of its heads. */
export async function primarySource(
  ctx: Context,
  { id, organization_id }: Pick<SpaceRow, 'id' | 'organization_id'>,
  head: Oid,
): Promise<SearchSource> {
  const view = await viewRevision(ctx, id, head)
  return searchSource(view, await withComputed(ctx, organization_id, view))
}

/** Makes the index of a space anew from its primary content. */
export async function reindexSearch(ctx: Context, repo: Repository, space: SpaceRow): Promise<void> {
  const pause = pauses()
  while (deleteSomeOfSearch(ctx.store, space.id, mostDeleted) > 0) await pause()
  const head = await readRef(repo, await defaultBranch(repo))
  if (head) await indexPrimary(ctx, space.id, await primarySource(ctx, space, head))
}
