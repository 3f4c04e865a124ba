import { isAncestor } from '../../git/commits/merge.ts'
import type { Quarantine } from '../../git/commits/quarantine.ts'
import type { Repository } from '../../git/process/processes.ts'
import { treeOf } from '../../git/trees/tree-files.ts'
import type { Oid } from '../../lib/oid.ts'
import type { SpaceRow, UserRow } from '../../store/tables/rows.ts'
import { authorOf, service, withTrailers } from '../repositories/commit-signatures.ts'
import { combineTrees, type Winner } from './combine-trees.ts'
import { rebasedCommit } from './rebased-commit.ts'

type Joining = {
  commit: Oid
  /** The last commit joined from the same branch of the same remote. */
  seen?: Oid | undefined
  /** The message of a merge commit. */
  message: string
  by: UserRow
  winner: Winner
  /** The number of the change request that the head is of. */
  request?: number | undefined
}

/**
 * Returns a head that contains both: one of the two if it contains the other, else a new merge
 * commit in the quarantine.
 */
export async function joinCommits(
  { repo, quarantine }: { repo: Repository; quarantine: Quarantine },
  { id: spaceId }: Pick<SpaceRow, 'id'>,
  head: Oid,
  { commit, seen, message, by, winner, request }: Joining,
  at: Date,
): Promise<{ head: Oid; made: boolean }> {
  const isContained = await isAncestor(repo, commit, head)
  if (
    isContained &&
    !(winner?.replace && (await treeOf(repo, commit)) !== (await treeOf(repo, head)))
  )
    return { head, made: false }

  if (!isContained && (await isAncestor(repo, head, commit))) return { head: commit, made: false }

  const theirs = isContained ? commit : await rebasedCommit(repo, { head, commit, seen })
  const tree = await combineTrees(repo, quarantine, head, theirs, winner)
  const merged = await quarantine.writeCommit({
    tree,
    parents: isContained ? [head] : [head, commit],
    author: authorOf(by, at),
    committer: service(at),
    message: withTrailers(message, {
      'Stemma-Space': spaceId,
      'Stemma-Change-Request': request,
      'Stemma-Operation': 'import',
    }),
  })

  return { head: merged, made: true }
}
