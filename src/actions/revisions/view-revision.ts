import { cacheSlot, stateSlot } from '../../caches.ts'
import { treeSteps } from '../../content/tree/build.ts'
import { changedBlobs, deriveTree } from '../../content/tree/derive.ts'
import { type IdOverrides, sameIdentity } from '../../content/tree/identity.ts'
import type { RevisionView } from '../../content/tree/view.ts'
import type { Context } from '../../context.ts'
import { readCommit, unreadable } from '../../git/objects/objects.ts'
import type { Repository } from '../../git/process/processes.ts'
import { type ChangedFile, changedFiles } from '../../git/trees/changed-files.ts'
import { BoundedCache } from '../../lib/bounded-cache.ts'
import type { Oid } from '../../lib/oid.ts'
import { inSlices } from '../../lib/slices.ts'
import { headOf } from '../repositories/head-of.ts'
import { identityRef } from '../repositories/ref-names.ts'
import { spaceRepository } from '../repositories/space-repository.ts'
import { deriveIdentity, nearestIdentity, noIdentity, readIdentity } from './identity.ts'
import { readContent, readFacts } from './read-content.ts'

/**
 * Estimates the memory of a view in bytes. Measured: 510 a file, 1,320 a page and some hundreds for
 * its facts. A derived view shares nearly all of it, but may outlive the view that it shares with.
 */
const weigh = (view: RevisionView): number =>
  20_000 + view.content.files.length * 500 + view.content.pageById.size * 1_800

/**
 * Views of damaged repositories. They are not cached: they lack content until the repository is
 * repaired.
 */
const partial = new WeakSet<RevisionView>()

/** Returns whether a view was made from undamaged data only, so that it may be cached. */
export const isWhole = (view: RevisionView): boolean => !partial.has(view)

/** Views by `<space id> <commit>`. */
export const viewCache = cacheSlot<RevisionView>('views')
const loadsInProgress = stateSlot(() => new Map<string, Promise<RevisionView>>())

/**
 * The notes ref at the time a view without an own note was made; its identity follows from earlier
 * commits.
 */
const unnoted = new WeakMap<RevisionView, { notes: Oid | undefined }>()

/**
 * Returns the view of a commit, from memory if it was read lately. The caller knows the commit from
 * a ref or a row: throws GitError 'object_unreadable' if it does not exist.
 */
export async function viewRevision(ctx: Context, spaceId: string, oid: Oid): Promise<RevisionView> {
  const key = `${spaceId} ${oid}`
  const loading = ctx.caches.get(loadsInProgress)
  const repo = spaceRepository(ctx, spaceId)

  // Concurrent readers of a new revision share one load.
  const known = ctx.caches.get(viewCache).get(key) ?? (await loading.get(key))
  if (known && (!unnoted.has(known) || (await isAsNoted(ctx, repo, spaceId, known)))) return known

  const pending = loading.get(key)
  if (pending) return pending

  const load = loadView(ctx, repo, spaceId, oid)
    .then(({ view, whole }) => {
      if (whole) keepView(ctx, spaceId, view)
      else partial.add(view)
      return view
    })
    .finally(() => loading.delete(key))

  loading.set(key, load)

  return load
}

/**
 * Returns whether a view without an own note is still right: a push may be read before it is
 * recorded.
 */
async function isAsNoted(
  ctx: Context,
  repo: Repository,
  spaceId: string,
  view: RevisionView,
): Promise<boolean> {
  const notes = headOf(ctx, spaceId, identityRef)
  if (notes === unnoted.get(view)?.notes) return true
  const noted = await readIdentity(ctx, repo, spaceId, view.oid)
  if (!noted) unnoted.set(view, { notes })
  else if (sameIdentity(noted, view.identity)) unnoted.delete(view)
  else return false
  return true
}

/**
 * Caches the view of a revision, for its next readers; one over the whole limit is cached alone,
 * since every reader would otherwise wait for a rebuild.
 */
export function keepView(ctx: Context, spaceId: string, view: RevisionView): void {
  const views = ctx.caches.get(viewCache)
  views.set(`${spaceId} ${view.oid}`, view, Math.min(weigh(view), views.limit))
  ctx.caches.get(latestViews).set(spaceId, view.oid, 1)
}

async function loadView(
  ctx: Context,
  repo: Repository,
  spaceId: string,
  oid: Oid,
): Promise<{ view: RevisionView; whole: boolean }> {
  const commit = await readCommit(repo, oid)
  if (!commit) throw unreadable(oid)
  const notes = headOf(ctx, spaceId, identityRef)
  const noted = await readIdentity(ctx, repo, spaceId, oid)
  const wanted = noted ?? (await followedIdentity(ctx, repo, spaceId, oid, commit.tree))
  const near = await nearView(ctx, repo, spaceId, commit)
  const follows = near !== undefined && sameIdentity(wanted, near.view.identity)
  const identity = follows ? near.view.identity : wanted
  const { content, notices, whole } =
    (follows && (await deriveContent(ctx, repo, near))) ||
    (await buildContent(ctx, repo, spaceId, commit.tree, identity, near?.view))
  const view: RevisionView = {
    oid,
    treeOid: commit.tree,
    parents: commit.parents,
    message: commit.message,
    author: personOf(commit.author),
    committer: personOf(commit.committer),
    committedAt: commit.committer.at,
    content,
    identity,
    notices,
  }
  if (!noted) unnoted.set(view, { notes })

  return { view, whole }
}

/** A cached revision and the files that differ from it. */
type Near = { view: RevisionView; changes: readonly ChangedFile[] }

/** Beyond this many changed files, a tree is built instead of derived. */
const mostChanges = 500

/** The revision last read of each space, by space id. */
const latestViews = stateSlot(() => new BoundedCache<string, string>(2_000))

/**
 * Returns a cached view with few differences from a commit: of a parent, or of the revision last
 * read of the space.
 */
async function nearView(
  ctx: Context,
  repo: Repository,
  spaceId: string,
  { tree, parents }: { tree: Oid; parents: readonly Oid[] },
): Promise<Near | undefined> {
  const last = ctx.caches.get(latestViews).get(spaceId)
  const known = new Set([...parents, ...(last ? [last] : [])])
  const views = [...known].flatMap(oid => ctx.caches.get(viewCache).get(`${spaceId} ${oid}`) ?? [])
  const same = views.find(view => view.treeOid === tree)
  if (same) return { view: same, changes: [] }

  for (const view of views) {
    const changes = await changedFiles(repo, view.treeOid, tree, mostChanges)
    if (changes) return { view, changes }
  }

  return undefined
}

type Content = Pick<RevisionView, 'content' | 'notices'> & { whole: boolean }

/** Derives the content from a revision with the same identity; undefined if it has to be built. */
async function deriveContent(
  ctx: Context,
  repo: Repository,
  { view, changes }: Near,
): Promise<Content | undefined> {
  const { content, notices } = view
  if (changes.length === 0) return { content, notices, whole: true }
  const { facts, whole } = await readFacts(ctx, repo, changedBlobs(content, changes))
  const derived = deriveTree(content, changes, oid => facts.get(oid))
  return derived && { content: derived, notices, whole }
}

async function buildContent(
  ctx: Context,
  repo: Repository,
  spaceId: string,
  tree: Oid,
  identity: IdOverrides,
  near: RevisionView | undefined,
): Promise<Content> {
  const { input, notices, whole } = await readContent(
    ctx,
    repo,
    spaceId,
    tree,
    near?.content.summary,
  )
  return { content: await inSlices(treeSteps({ ...input, identity, near })), notices, whole }
}

const personOf = ({ name, email }: { name: string; email: string }) => ({ name, email })

/**
 * Returns the identity of a commit that has no note (it was never a head that we saw), derived from
 * the nearest noted commit behind it.
 */
async function followedIdentity(
  ctx: Context,
  repo: Repository,
  spaceId: string,
  oid: Oid,
  tree: Oid,
): Promise<IdOverrides> {
  const before = await nearestIdentity(ctx, repo, spaceId, oid)
  return before ? deriveIdentity(ctx, repo, spaceId, before, { oid, tree }) : noIdentity
}
