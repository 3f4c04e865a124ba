import { mergeSummaries } from '../../content/summary/merge.ts'
import { encode } from '../../content/text/bytes.ts'
import { type MergeConflict, type MergeResult, mergeTrees } from '../../git/commits/merge.ts'
import { openQuarantine, type Quarantine } from '../../git/commits/quarantine.ts'
import type { Repository } from '../../git/process/processes.ts'
import type { Oid } from '../../lib/oid.ts'
import { readConfigOf } from './read-config.ts'
import { textsOf } from './texts-of-conflict.ts'

/** Larger tables of contents are merged by Git alone, in bytes. */
const summaryLimit = 1024 * 1024

/**
 * Merges two commits into a tree as Git does, except that the table of contents is merged by its
 * entries where Git sees a conflict. The caller flushes the quarantine. Throws like `mergeTrees`.
 */
export async function mergeCommits(
  repo: Repository,
  quarantine: Quarantine,
  ours: Oid,
  theirs: Oid,
): Promise<MergeResult> {
  const merged = await mergeTrees(repo, ours, theirs, quarantine)
  if (merged.clean) return merged
  let { tree, conflicts } = merged

  for (const conflict of await conflictsOfSummary(repo, { ours, theirs }, conflicts)) {
    const isMergeable = conflict.type === 'content' && conflict.stages.base
    const texts = isMergeable && (await textsOf(repo, conflict, summaryLimit))
    const text = texts && mergeSummaries(...texts)
    if (typeof text !== 'string') continue

    const oid = await quarantine.writeBlob(encode(text))
    const mode = conflict.stages.ours?.mode
    tree = await quarantine.writeTree(tree, [{ path: conflict.path, oid, ...(mode && { mode }) }])
    conflicts = conflicts.filter(other => other !== conflict)
  }

  return conflicts.length === 0 ? { clean: true, tree } : { clean: false, tree, conflicts }
}

/**
 * Returns the conflicts in the table of contents of either commit, which may be different files:
 * the result must not depend on the direction of the merge.
 */
export async function conflictsOfSummary(
  repo: Repository,
  { ours, theirs }: { ours: Oid; theirs: Oid },
  conflicts: readonly MergeConflict[],
): Promise<MergeConflict[]> {
  const read = await Promise.all([readConfigOf(repo, ours), readConfigOf(repo, theirs)])
  const paths = new Set(read.map(({ config }) => config.summary))
  return conflicts.filter(({ path }) => paths.has(path))
}

/**
 * Merges two commits as `mergeCommits` does, for its result alone: Git keeps no object unless it
 * cannot merge the table of contents.
 */
export async function tryMerge(repo: Repository, ours: Oid, theirs: Oid): Promise<MergeResult> {
  const plain = await mergeTrees(repo, ours, theirs)
  if (plain.clean) return plain
  const inContents = await conflictsOfSummary(repo, { ours, theirs }, plain.conflicts)
  if (inContents.length === 0) return plain
  return mergeCommits(repo, openQuarantine(repo), ours, theirs)
}
