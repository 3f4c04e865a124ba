import { stateSlot } from '../../caches.ts'
import type { Context } from '../../context.ts'
import type { LoggedCommit } from '../../git/history/history.ts'
import type { Repository } from '../../git/process/processes.ts'
import type { Oid } from '../../lib/oid.ts'
import { SharedWork } from '../../lib/shared-work.ts'
import { pauses } from '../../lib/slices.ts'
import {
  deleteRevisionsAfter,
  insertRevisions,
  type NewRevision,
} from '../../store/git/revision-index.ts'
import { findLastRevision, findRevision } from '../../store/git/revisions.ts'
import { isPrimaryAt } from '../repositories/head-of.ts'
import { publishedLine } from './published-line.ts'

/** How many revisions are written in one transaction, which blocks the event loop. */
const slice = 500

/**
 * Up to this many missing revisions are indexed by a writer while it holds the lock of the space.
 */
const few = 100

/**
 * How many revisions are in memory at once: of a longer history all but the oldest are read twice.
 */
const mostHeld = 20_000

/** The running builds, by space and head. */
const running = stateSlot(() => new SharedWork<void>())

/** Returns the index rows of a commit of the primary content. */
export const indexedRevision = (spaceId: string, commit: LoggedCommit): NewRevision => ({
  row: {
    space_id: spaceId,
    oid: commit.oid,
    tree: commit.tree,
    parents: [...commit.parents],
    author_name: commit.author.name,
    author_email: commit.author.email,
    message: commit.message,
    committed_at: commit.committer.at,
  },
  paths: commit.changes.map(({ path, status, from }) => ({
    path,
    status,
    from_path: from ?? null,
  })),
})

/**
 * The published revisions up to `head` that the index lacks, oldest first, and the indexed commit
 * that they follow. If they exceed the limit, `fresh` holds the oldest and `newer` the last commits
 * of the pieces that follow.
 */
export type Unindexed = {
  head: Oid
  after: Oid | undefined
  fresh: readonly NewRevision[]
  newer: readonly Oid[]
}

/**
 * Reads what the index of a space lacks up to `head`, which need not be published yet; keeps at
 * most `most` revisions in memory. If the index ends with `until`, Git does not read beyond it.
 * Without `whole`, reading stops when more than `most` are missing: `newer` is then not empty, and
 * the result is of no other use. Throws like `publishedLine`.
 */
export async function readUnindexed(
  ctx: Context,
  repo: Repository,
  spaceId: string,
  head: Oid,
  {
    most = mostHeld,
    until,
    whole = true,
  }: { most?: number; until?: Oid | undefined; whole?: boolean } = {},
): Promise<Unindexed> {
  let fresh: NewRevision[] = []
  const newer: Oid[] = []
  const upTo = (after: Oid | undefined) => ({
    head,
    after,
    fresh: fresh.reverse(),
    newer: newer.reverse(),
  })
  const pause = pauses()

  for await (const commit of publishedLine(ctx, repo, spaceId, head, until)) {
    if (findRevision(ctx.store, spaceId, commit.oid)) return upTo(commit.oid)
    const newest = fresh.length >= most ? fresh[0] : undefined
    if (newest) {
      newer.push(newest.row.oid)
      if (!whole) break
      fresh = []
    }

    fresh.push(indexedRevision(spaceId, commit))
    await pause()
  }

  return upTo(until)
}

/**
 * Updates the revision index of the primary content to a head. Reads only the new commits of the
 * published line, and drops indexed ones that are no longer on it. `read` is the result of an
 * earlier `readUnindexed`. The rows must have recorded the head, because the published line depends
 * on them. Callers need no lock: a slice is appended only after its predecessor, and only a build
 * for the current head drops revisions. Idempotent.
 */
export function indexHistory(
  ctx: Context,
  repo: Repository,
  spaceId: string,
  head: Oid,
  read?: Unindexed,
): Promise<void> {
  if (read) return bringUp(ctx, repo, spaceId, head, read)
  return ctx.caches
    .get(running)
    .join(`${spaceId} ${head}`, undefined, () => bringUp(ctx, repo, spaceId, head))
}

/**
 * Updates the index to a head if few revisions are missing. Does nothing if many are, or if a build
 * is running: that build, the next job, or the next reader of the history indexes them. Throws like
 * `publishedLine`.
 */
export async function indexFew(
  ctx: Context,
  repo: Repository,
  spaceId: string,
  head: Oid,
): Promise<void> {
  if (findLastRevision(ctx.store, spaceId)?.oid === head) return
  for (const key of ctx.caches.get(running).keys()) if (key.startsWith(`${spaceId} `)) return
  const read = await readUnindexed(ctx, repo, spaceId, head, { most: few, whole: false })
  if (read.newer.length === 0) await bringUp(ctx, repo, spaceId, head, read)
}

async function bringUp(
  ctx: Context,
  repo: Repository,
  spaceId: string,
  head: Oid,
  read?: Unindexed,
): Promise<void> {
  if (findLastRevision(ctx.store, spaceId)?.oid === head) return
  const mayKeep = ctx.store.watchErasing()
  const seqOf = ({ after }: Unindexed) =>
    after === undefined ? 0 : findRevision(ctx.store, spaceId, after)?.seq
  const usable = read?.head === head && seqOf(read) !== undefined
  const unindexed = usable ? read : await readUnindexed(ctx, repo, spaceId, head)
  const known = seqOf(unindexed) ?? 0

  // A delayed build for an older head does not set the index back.
  const drops = (findLastRevision(ctx.store, spaceId)?.seq ?? 0) > known
  if (drops && !isPrimaryAt(ctx, spaceId, head)()) return
  ctx.store.transact(() => deleteRevisionsAfter(ctx.store, spaceId, known))
  let last = known > 0 ? unindexed.after : undefined
  if (!(await append(ctx, spaceId, last, { fresh: unindexed.fresh, mayKeep }))) return
  last = unindexed.fresh.at(-1)?.row.oid ?? last

  for (const next of unindexed.newer) {
    const { fresh } = await readUnindexed(ctx, repo, spaceId, next, { until: last })
    if (!(await append(ctx, spaceId, last, { fresh, mayKeep }))) return
    last = next
  }
}

/**
 * Appends the revisions after a commit in slices, and lets other work run between slices. Returns
 * false if something else has changed the index, such as a build for a newer head or "stemma
 * reindex"; the next call continues from there.
 */
async function append(
  ctx: Context,
  spaceId: string,
  after: Oid | undefined,
  { fresh, mayKeep }: { fresh: readonly NewRevision[]; mayKeep: () => boolean },
): Promise<boolean> {
  let previous: string | undefined = after
  for (let at = 0; at < fresh.length; at += slice) {
    const part = fresh.slice(at, at + slice)
    const written = ctx.store.transact(() => {
      const last = findLastRevision(ctx.store, spaceId)
      if (last?.oid !== previous || !mayKeep()) return false
      insertRevisions(ctx.store, spaceId, (last?.seq ?? 0) + 1, part)
      return true
    })
    if (!written) return false
    previous = part.at(-1)?.row.oid
    await new Promise(resolve => setImmediate(resolve))
  }

  return true
}
