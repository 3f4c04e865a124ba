import type { Context } from '../../context.ts'
import { firstParentLog, type LoggedCommit } from '../../git/history/history.ts'
import type { Repository } from '../../git/process/processes.ts'
import { diffTrees } from '../../git/trees/diff.ts'
import type { Oid } from '../../lib/oid.ts'
import { listPublishedJumps } from '../../store/git/published-jumps.ts'

/**
 * Yields the published commits from `head` backwards: the first-parent line, except where a row
 * names another predecessor (an export has the remote's tip as its first parent and the published
 * head as its second). Stops before `until`, a commit of this line. Throws like `firstParentLog`.
 */
export async function* publishedLine(
  ctx: Context,
  repo: Repository,
  spaceId: string,
  head: Oid,
  until?: Oid,
): AsyncGenerator<LoggedCommit, void, undefined> {
  const jumps = listPublishedJumps(ctx.store, spaceId) as Map<Oid, Oid>
  for (let at: Oid | undefined = head; at; ) {
    let next: Oid | undefined
    for await (const commit of firstParentLog(repo, at, until && { until })) {
      next = jumps.get(commit.oid)
      if (!next) {
        yield commit
        continue
      }
      yield { ...commit, changes: await diffTrees(repo, next, commit.oid, { renames: true }) }
      break
    }

    at = next
  }
}
