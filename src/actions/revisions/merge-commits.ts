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
  const conflict = await conflictOfSummary(repo, ours, merged.conflicts)
  if (!conflict) return merged

  const texts = conflict.stages.base && (await textsOf(repo, conflict, summaryLimit))
  const text = texts && mergeSummaries(...texts)
  if (text === undefined) return merged

  const oid = await quarantine.writeBlob(encode(text))
  const mode = conflict.stages.ours?.mode
  const tree = await quarantine.writeTree(merged.tree, [
    { path: conflict.path, oid, ...(mode && { mode }) },
  ])

  const conflicts = merged.conflicts.filter(other => other !== conflict)

  return conflicts.length === 0 ? { clean: true, tree } : { clean: false, tree, conflicts }
}

/** Returns the conflict in the table of contents that the first commit has; undefined without one. */
async function conflictOfSummary(
  repo: Repository,
  commit: Oid,
  conflicts: readonly MergeConflict[],
): Promise<MergeConflict | undefined> {
  const { config } = await readConfigOf(repo, commit)
  return conflicts.find(({ path, type }) => path === config.summary && type === 'content')
}

/**
 * Merges two commits as `mergeCommits` does, for its result alone: Git keeps no object unless it
 * cannot merge the table of contents.
 */
export async function tryMerge(repo: Repository, ours: Oid, theirs: Oid): Promise<MergeResult> {
  const plain = await mergeTrees(repo, ours, theirs)
  if (plain.clean || !(await conflictOfSummary(repo, ours, plain.conflicts))) return plain
  return mergeCommits(repo, openQuarantine(repo), ours, theirs)
}
