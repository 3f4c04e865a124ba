import { isAncestor } from '../../git/commits/merge.ts'
import { openQuarantine } from '../../git/commits/quarantine.ts'
import { readCommit } from '../../git/objects/objects.ts'
import type { Repository } from '../../git/process/processes.ts'
import type { Oid } from '../../lib/oid.ts'

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
  const rewritten = await readCommit(repo, commit)
  if (!rewritten) return commit

  const { tree, author, committer, message } = rewritten
  const quarantine = openQuarantine(repo)
  const made = await quarantine.writeCommit({ tree, parents: [seen], author, committer, message })

  await quarantine.flush()

  return made
}
