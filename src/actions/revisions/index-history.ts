import type { Context } from '../../context.ts'
import type { LoggedCommit } from '../../git/history/history.ts'
import type { Repository } from '../../git/process/processes.ts'
import type { Oid } from '../../git/values/oid.ts'
import { pauses } from '../../lib/slices.ts'
import { deleteRevisionsAfter, insertRevisions, type NewRevision } from '../../store/git/revision-index.ts'
import { findLastRevision, findRevision } from '../../store/git/revisions.ts'
import { publishedLine } from './published-line.ts'

/** How many revisions are written in one transaction, which blocks the event loop. */
const slice = 500

/** How many revisions are in memory at once: of a longer history all but the oldest are read twice. */
const mostHeld = 20_000

/** Returns the index rows of a commit of the primary content. */
export const indexedRevision = (spaceId: string, commit: LoggedCommit): NewRevision => ({
  row: {
    space_id: spaceId,
    oid: commit.oid,
    tree: commit.tree,
    parents: JSON.stringify(commit.parents),
    author_name: commit.author.name,
    author_email: commit.author.email,
    message: commit.message,
    committed_at: commit.committer.at,
  },
  paths: commit.changes.map(({ path, status, from }) => ({ path, status, from_path: from ?? null })),
})

/**
 * The published revisions up to `head` that the index lacks, oldest first, and the indexed commit that they follow.
 * If they exceed the limit, `fresh` holds the oldest and `newer` the last commits of the pieces that follow.
 */
export type Unindexed = {
  head: Oid
  after: Oid | undefined
  fresh: readonly NewRevision[]
  newer: readonly Oid[]
}

/**
 * Reads what the index of a space lacks up to `head`, which need not be published yet; keeps at most `most` revisions
 * in memory. If the index ends with `until`, Git does not read beyond it. Throws like `publishedLine`.
 */
export async function readUnindexed(
  ctx: Context,
  repo: Repository,
  spaceId: string,
  head: Oid,
  { most = mostHeld, until }: { most?: number; until?: Oid | undefined } = {},
): Promise<Unindexed> {
  let fresh: NewRevision[] = []
  const newer: Oid[] = []
  const upTo = (after: Oid | undefined) => ({ head, after, fresh: fresh.reverse(), newer: newer.reverse() })
  const pause = pauses()
  for await (const commit of publishedLine(ctx, repo, spaceId, head, until)) {
    if (findRevision(ctx.store, spaceId, commit.oid)) return upTo(commit.oid)
    const newest = fresh.length >= most ? fresh[0] : undefined
    if (newest) {
      newer.push(newest.row.oid as Oid)
      fresh = []
    }
    fresh.push(indexedRevision(spaceId, commit))
    await pause()
  }
  return upTo(until)
}

/**
 * Brings the revision index of the primary content up to its head: reads only the new commits of the published line
 * and drops indexed ones that are no longer on it. `read` is the result of an earlier `readUnindexed`. Hold the
 * space's lock. Idempotent.
 */
export async function indexHistory(
  ctx: Context,
  repo: Repository,
  spaceId: string,
  head: Oid,
  read?: Unindexed,
): Promise<void> {
  if (findLastRevision(ctx.store, spaceId)?.oid === head) return
  const seqOf = ({ after }: Unindexed) =>
    after === undefined ? 0 : findRevision(ctx.store, spaceId, after)?.seq
  const usable = read?.head === head && seqOf(read) !== undefined
  const unindexed = usable ? read : await readUnindexed(ctx, repo, spaceId, head)
  const known = seqOf(unindexed) ?? 0
  ctx.store.transact(() => deleteRevisionsAfter(ctx.store, spaceId, known))
  for (let at = 0; at < unindexed.fresh.length; at += slice) {
    const part = unindexed.fresh.slice(at, at + slice)
    const written = ctx.store.transact(() => {
      // Another process, such as "stemma reindex", may be writing the index. If it stops, the next call continues.
      if ((findLastRevision(ctx.store, spaceId)?.seq ?? 0) !== known + at) return false
      insertRevisions(ctx.store, spaceId, known + at + 1, part)
      return true
    })
    if (!written) return
    await new Promise(resolve => setImmediate(resolve))
  }
  let until = unindexed.fresh.at(-1)?.row.oid as Oid | undefined
  for (const next of unindexed.newer) {
    const piece = await readUnindexed(ctx, repo, spaceId, next, { until })
    await indexHistory(ctx, repo, spaceId, next, piece)
    until = next
  }
}
