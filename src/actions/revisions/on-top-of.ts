import { openQuarantine } from '../../git/commits/quarantine.ts'
import { readCommit } from '../../git/objects/objects.ts'
import type { Repository } from '../../git/process/processes.ts'
import type { Oid } from '../../lib/oid.ts'

/**
 * Returns a commit with the content of `commit` on top of `parent`: a merge of it brings the
 * difference between the two. It is on no branch, and the same one each time. Undefined if there is
 * no such commit.
 */
export async function onTopOf(
  repo: Repository,
  parent: Oid,
  commit: Oid,
): Promise<Oid | undefined> {
  const read = await readCommit(repo, commit)
  if (!read) return undefined
  const { tree, author, committer, message } = read
  const quarantine = openQuarantine(repo)
  const made = await quarantine.writeCommit({ tree, parents: [parent], author, committer, message })

  await quarantine.flush()

  return made
}
