import { diffTrees } from '../git/diff.ts'
import { firstParentLog, type LoggedCommit } from '../git/history.ts'
import type { Oid } from '../git/oid.ts'
import type { Repository } from '../git/repository.ts'

/**
 * What was published, from `head` backwards: the first-parent line, but at an export of this space the second parent. An
 * export puts the remote's tip first, so that the remote shows one commit an export; what was published here before it
 * is behind the other parent. Up to `until`, a commit of this line, without it: Git then does not walk through all that is
 * behind it. Throws as `firstParentLog`.
 */
export async function* publishedLine(
  repo: Repository,
  spaceId: string,
  head: Oid,
  until?: Oid,
): AsyncGenerator<LoggedCommit, void, undefined> {
  for (let at: Oid | undefined = head; at; ) {
    let next: Oid | undefined
    for await (const commit of firstParentLog(repo, at, until && { until })) {
      next = publishedBefore(commit, spaceId)
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

/** The head that an export of this space was made of; undefined for any other commit. */
function publishedBefore({ parents, message }: LoggedCommit, spaceId: string): Oid | undefined {
  const trailers = message.slice(message.lastIndexOf('\n\n'))
  const own =
    trailers.includes(`\nStemma-Space: ${spaceId}\n`) && /\nStemma-Operation: export\s*$/.test(trailers)
  return own ? parents[1] : undefined
}
