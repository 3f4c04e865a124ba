import { Fault, invalid } from '../../errors.ts'
import type { MergeConflict } from '../../git/commits/merge.ts'
import { openQuarantine, type Quarantine } from '../../git/commits/quarantine.ts'
import type { Repository } from '../../git/process/processes.ts'
import { isGitError } from '../../git/values/errors.ts'
import type { Oid } from '../../git/values/oid.ts'

/** How one conflict is resolved: with one side's file (or its absence), or with this text. */
export type Resolution = { path: string; take: 'ours' | 'theirs' } | { path: string; content: string }

const fileMode = '100644'

/**
 * The tree of a merge with every conflict resolved: `tree` is the merge as Git left it. Throws 'invalid' for a path
 * that is resolved twice, 'conflict' (details: missing, extra) unless the resolutions are for the conflicts, all of them.
 */
export async function resolveConflicts(
  repo: Repository,
  tree: Oid,
  conflicts: readonly MergeConflict[],
  resolutions: readonly Resolution[],
): Promise<Oid> {
  checkCover(conflicts, resolutions)
  if (conflicts.length === 0) return tree
  const byPath = new Map(resolutions.map(resolution => [resolution.path, resolution]))
  const quarantine = openQuarantine(repo)
  const changes = []
  for (const conflict of conflicts) {
    changes.push({ path: conflict.path, ...(await fileOf(quarantine, conflict, byPath.get(conflict.path)!)) })
  }
  try {
    const resolved = await quarantine.writeTree(tree, changes)
    await quarantine.flush()
    return resolved
  } catch (error) {
    if (!isGitError(error, 'path_conflict')) throw error
    const path = String(error.detail.path ?? '')
    throw new Fault('conflict', `"${path}" would be a file and a folder at once: resolve it otherwise.`, {
      path,
    })
  }
}

function checkCover(conflicts: readonly MergeConflict[], resolutions: readonly Resolution[]): void {
  const conflicting = new Set(conflicts.map(conflict => conflict.path))
  const resolved = new Set(resolutions.map(resolution => resolution.path))
  if (resolved.size < resolutions.length)
    throw invalid('"resolutions" in the body: names a path twice. Resolve each conflict once.')
  const missing = [...conflicting].filter(path => !resolved.has(path))
  const extra = [...resolved].filter(path => !conflicting.has(path))
  if (missing.length === 0 && extra.length === 0) return
  const said = [
    missing.length > 0 ? `not resolved: ${some(missing)}` : '',
    extra.length > 0 ? `not in conflict: ${some(extra)}` : '',
  ]
  throw new Fault(
    'conflict',
    `The resolutions do not fit the conflicts; ${said.filter(Boolean).join('; ')}.`,
    {
      missing,
      extra,
    },
  )
}

const some = (paths: readonly string[]): string =>
  paths
    .slice(0, 5)
    .map(path => `"${path.slice(0, 200)}"`)
    .join(', ') + (paths.length > 5 ? ` and ${paths.length - 5} more` : '')

async function fileOf(
  quarantine: Quarantine,
  { stages }: MergeConflict,
  resolution: Resolution,
): Promise<{ oid: Oid | null; mode?: string }> {
  if ('take' in resolution) {
    const side = stages[resolution.take]
    return side ? { oid: side.oid, mode: side.mode } : { oid: null }
  }
  const mode = [stages.ours?.mode, stages.theirs?.mode].find(held => held?.startsWith('100')) ?? fileMode
  return { oid: await quarantine.writeBlob(Buffer.from(resolution.content)), mode }
}
