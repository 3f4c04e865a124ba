import { isAncestor } from '../../git/commits/merge.ts'
import type { Repository } from '../../git/process/processes.ts'
import type { Oid } from '../../lib/oid.ts'
import { onTopOf } from '../revisions/on-top-of.ts'

/**
 * Returns the commit to merge into `head` for a remote's commit. A rewritten branch (amended,
 * rebased, restarted) no longer contains what was adopted from it, so what it dropped would look
 * like our content and stay. It is therefore merged as a commit on top of `seen`, the last adopted
 * commit; any other commit is merged as it is.
 */
export async function rebasedCommit(
  repo: Repository,
  { head, commit, seen }: { head: Oid; commit: Oid; seen: Oid | undefined },
): Promise<Oid> {
  if (!seen || (await isAncestor(repo, seen, commit)) || !(await isAncestor(repo, seen, head)))
    return commit
  return (await onTopOf(repo, seen, commit)) ?? commit
}
