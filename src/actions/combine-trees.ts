import { isGitError } from '../git/errors.ts'
import type { Oid } from '../git/oid.ts'
import { openQuarantine } from '../git/quarantine.ts'
import type { Repository } from '../git/repository.ts'
import { treeOf } from '../git/tree-files.ts'
import { mergeCommits } from './merge-commits.ts'
import { SyncFailure } from './sync-failure.ts'

/** Conflicts that can be settled path by path: the side that wins has a file there, or none. */
const byPath = new Set(['content', 'add/add', 'binary', 'modify/delete', 'submodule'])

/**
 * The tree of two commits merged. Where they conflict, or have no history in common, the side that `wins` decides; with
 * none, a SyncFailure names the paths.
 */
export async function combineTrees(
  repo: Repository,
  ours: Oid,
  theirs: Oid,
  wins: 'ours' | 'theirs' | undefined,
): Promise<Oid> {
  const winner = wins === 'ours' ? ours : theirs
  try {
    const merged = await mergeCommits(repo, ours, theirs)
    if (merged.clean) return merged.tree
    const conflicts = merged.conflicts.map(({ path, type }) => ({ path, type }))
    if (!wins) {
      const named = conflicts.slice(0, 5).map(conflict => conflict.path)
      const more = conflicts.length > named.length ? ` and ${conflicts.length - named.length} more` : ''
      throw new SyncFailure(
        `Both sides changed ${named.join(', ')}${more}: resolve it in Git, or sync with "force" (--force) to let one side win.`,
        conflicts,
      )
    }
    if (!conflicts.every(conflict => byPath.has(conflict.type))) return treeOf(repo, winner)
    const quarantine = openQuarantine(repo)
    const tree = await quarantine.writeTree(
      merged.tree,
      merged.conflicts.map(({ path, stages }) => {
        const side = stages[wins]
        return side ? { path, oid: side.oid, mode: side.mode } : { path, oid: null }
      }),
    )
    await quarantine.flush()
    return tree
  } catch (error) {
    if (wins && isGitError(error, 'unrelated')) return treeOf(repo, winner)
    throw error
  }
}
