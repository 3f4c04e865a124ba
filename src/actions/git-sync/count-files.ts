import type { Repository } from '../../git/process/processes.ts'
import { diffTrees } from '../../git/trees/diff.ts'
import { isGitError } from '../../git/values/errors.ts'
import type { Oid } from '../../lib/oid.ts'

/**
 * How many files only the new commit has, both have with different content, and only the old one
 * has.
 */
export type FileCounts = { added: number; changed: number; removed: number }

/** The counts of equal trees. */
export const noFiles: FileCounts = { added: 0, changed: 0, removed: 0 }

/**
 * Counts the files that differ between two commits or trees (null: the empty tree). A rename counts
 * as one removed and one added file. Returns undefined if there are too many to compare: the counts
 * are informational.
 */
export async function countFiles(
  repo: Repository,
  before: Oid | null,
  after: Oid,
): Promise<FileCounts | undefined> {
  try {
    const changes = before === after ? [] : await diffTrees(repo, before, after)
    const count = (status: (typeof changes)[number]['status']) =>
      changes.filter(change => change.status === status).length
    const [added, removed] = [count('added'), count('deleted')]
    return { added, changed: changes.length - added - removed, removed }
  } catch (error) {
    if (isGitError(error, 'too_many_files') || isGitError(error, 'timeout')) return undefined
    throw error
  }
}
