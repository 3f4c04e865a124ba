import type { Context } from '../context.ts'
import type { LoggedCommit } from '../git/history.ts'
import type { Oid } from '../git/oid.ts'
import type { Repository } from '../git/repository.ts'
import { appendRevision, deleteRevisionsAfter, findLastRevision, findRevision } from '../store/revisions.ts'
import { publishedLine } from './published-line.ts'

/** How many revisions are written in one transaction, so that others get their turn. */
const slice = 200

/** A revision as the index holds it, and the paths that it changed. */
export type IndexedRevision = {
  row: Parameters<typeof appendRevision>[2]
  paths: Parameters<typeof appendRevision>[3]
}

/** What the index of a space holds of a commit of its primary content. */
export const indexedRevision = (spaceId: string, commit: LoggedCommit): IndexedRevision => ({
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
 * Brings the index of a space's primary content up to its head: reads only the commits that are new on the line of
 * what was published, and forgets those that are no longer on it. Doing it again is harmless.
 */
export async function indexHistory(
  ctx: Context,
  repo: Repository,
  spaceId: string,
  head: Oid,
): Promise<void> {
  if (findLastRevision(ctx.store, spaceId)?.oid === head) return
  const fresh: IndexedRevision[] = []
  let known = 0
  for await (const commit of publishedLine(repo, spaceId, head)) {
    const found = findRevision(ctx.store, spaceId, commit.oid)
    if (found) {
      known = found.seq
      break
    }
    fresh.push(indexedRevision(spaceId, commit))
  }
  deleteRevisionsAfter(ctx.store, spaceId, known)
  fresh.reverse()
  for (let at = 0; at < fresh.length; at += slice) {
    ctx.store.transact(() => {
      for (const { row, paths } of fresh.slice(at, at + slice)) {
        appendRevision(ctx.store, findLastRevision(ctx.store, spaceId)?.oid ?? null, row, paths)
      }
    })
    await new Promise(resolve => setImmediate(resolve))
  }
}
