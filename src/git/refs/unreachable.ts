import type { Repository } from '../process/processes.ts'
import { runGit } from '../process/run.ts'
import { commandError } from '../values/errors.ts'
import { type Oid, parseOid } from '../values/oid.ts'

/**
 * Returns those of the commits that no ref reaches, in their order: one process for all of them, and one more for
 * each suspect. Throws GitError 'not_found' when one of them does not exist.
 */
export async function unreachableCommits(repo: Repository, commits: readonly Oid[]): Promise<Oid[]> {
  if (commits.length === 0) return []
  const args = ['rev-list', '--stdin', '--not', '--all']
  const { code, stdout, stderr } = await runGit(repo, args, {
    input: `${[...new Set(commits)].join('\n')}\n`,
    timeoutMs: 600_000,
  })
  if (code !== 0) throw commandError('look for commits', code, stderr)
  const suspects = new Set(stdout.toString().split('\n').map(parseOid))
  const lost: Oid[] = []
  for (const oid of new Set(commits)) if (suspects.has(oid) && !(await isHeld(repo, oid))) lost.push(oid)
  return lost
}

/**
 * Returns whether a ref reaches a commit. Where a commit date is wrong, the walk above stops before commits behind
 * seemingly older ones; this one ignores dates.
 */
async function isHeld(repo: Repository, oid: Oid): Promise<boolean> {
  const args = ['for-each-ref', '--count=1', '--format=%(refname)', '--contains', oid]
  const { code, stdout, stderr } = await runGit(repo, args, { timeoutMs: 600_000 })
  if (code !== 0) throw commandError('look for the refs of a commit', code, stderr)
  return stdout.length > 0
}
