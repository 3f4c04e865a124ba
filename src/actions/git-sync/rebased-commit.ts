import { isAncestor } from '../../git/commits/merge.ts'
import { openQuarantine } from '../../git/commits/quarantine.ts'
import { readCommit } from '../../git/objects/objects.ts'
import type { Repository } from '../../git/process/processes.ts'
import type { Oid } from '../../git/values/oid.ts'

/**
 * What is merged into `head` for a remote's commit. A branch whose history was rewritten (amended, rebased, begun anew) no
 * longer contains what was taken in of it: what it has dropped would look like ours, and stay. So it is merged as if it
 * went on from `seen`, the commit of it that was taken in last; any other commit is merged as it is.
 */
export async function rebasedCommit(
  repo: Repository,
  { head, commit, seen }: { head: Oid; commit: Oid; seen: Oid | undefined },
): Promise<Oid> {
  if (!seen || (await isAncestor(repo, seen, commit)) || !(await isAncestor(repo, seen, head))) return commit
  const rewritten = await readCommit(repo, commit)
  if (!rewritten) return commit
  const { tree, author, committer, message } = rewritten
  const quarantine = openQuarantine(repo)
  const made = await quarantine.writeCommit({ tree, parents: [seen], author, committer, message })
  await quarantine.flush()
  return made
}
