import type { MergeConflict } from '../../git/commits/merge.ts'
import type { Quarantine } from '../../git/commits/quarantine.ts'
import type { Repository } from '../../git/process/processes.ts'
import { treeOf } from '../../git/trees/tree-files.ts'
import { isGitError } from '../../git/values/errors.ts'
import type { Oid } from '../../lib/oid.ts'
import { mergeCommits } from '../revisions/merge-commits.ts'
import { hunksByPath } from '../revisions/name-conflicts.ts'
import { SyncFailure } from './sync-failure.ts'

/**
 * Types of conflicts that can be resolved path by path, by taking the winner's file or its absence.
 */
const byPath = new Set(['content', 'add/add', 'binary', 'modify/delete', 'submodule'])

/** The most characters of the hunks of one operation, which is kept as a row. */
const mostCharacters = 200_000

type Side = 'ours' | 'theirs'

/** The side that wins conflicts (undefined: neither), and whether its files replace all others. */
export type Winner = { side: Side; replace: boolean } | undefined

/**
 * Returns the winner for the "force" and "replace" options: the side that the direction of the sync
 * favours.
 */
export const winnerOf = (
  {
    force = false,
    replace = false,
  }: { force?: boolean | undefined; replace?: boolean | undefined },
  side: Side,
): Winner => (force || replace ? { side, replace } : undefined)

/**
 * Returns the merged tree of two commits. The winner decides conflicts; without one, SyncFailure
 * names the paths. Without a common history the winner's files stay and files that only the other
 * side has are added. With `replace` the winner's tree is the result. The caller flushes the
 * quarantine. Throws GitError 'unrelated' for unrelated histories without a winner.
 */
export async function combineTrees(
  repo: Repository,
  quarantine: Quarantine,
  ours: Oid,
  theirs: Oid,
  winner: Winner,
): Promise<Oid> {
  const [winning, other] = winner?.side === 'ours' ? [ours, theirs] : [theirs, ours]
  if (winner?.replace) return treeOf(repo, winning)
  try {
    return await mergeRelated(repo, quarantine, ours, theirs, winner?.side)
  } catch (error) {
    if (winner && isGitError(error, 'unrelated')) return union(repo, quarantine, winning, other)
    throw error
  }
}

async function mergeRelated(
  repo: Repository,
  quarantine: Quarantine,
  ours: Oid,
  theirs: Oid,
  wins: Side | undefined,
): Promise<Oid> {
  const merged = await mergeCommits(repo, quarantine, ours, theirs)
  if (merged.clean) return merged.tree
  const { conflicts } = merged

  if (!wins) {
    const named = conflicts.slice(0, 5).map(conflict => conflict.path)
    const more =
      conflicts.length > named.length ? ` and ${conflicts.length - named.length} more` : ''
    throw new SyncFailure(
      `Both sides changed ${named.join(', ')}${more}. Resolve it in Git, or use "force" (--force) to let one side win: the repository in an import, the space in an export.`,
      await withHunks(repo, conflicts),
    )
  }

  if (!conflicts.every(conflict => byPath.has(conflict.type)))
    return treeOf(repo, wins === 'ours' ? ours : theirs)

  return quarantine.writeTree(
    merged.tree,
    conflicts.map(({ path, stages }) => {
      const side = stages[wins]
      return side ? { path, oid: side.oid, mode: side.mode } : { path, oid: null }
    }),
  )
}

async function withHunks(repo: Repository, conflicts: readonly MergeConflict[]) {
  const hunks = await hunksByPath(repo, conflicts, mostCharacters)
  return conflicts.map(({ path, type }) => {
    const found = hunks.get(path)
    return { path, type, ...(found && { hunks: found }) }
  })
}

/**
 * Returns the files of both sides. Throws GitError 'too_many_files' if they are too many together.
 */
async function union(
  repo: Repository,
  quarantine: Quarantine,
  winning: Oid,
  other: Oid,
): Promise<Oid> {
  const tree = await quarantine.uniteTrees(await treeOf(repo, winning), await treeOf(repo, other))
  await quarantine.listFiles(tree)
  return tree
}
