import { commandError } from './errors.ts'
import { type Oid, parseOid } from './oid.ts'
import type { Repository } from './repository.ts'
import { runGit } from './run.ts'

/**
 * Those of the commits that no ref holds, in their order: one process for all of them, and one more for each that seems to
 * be none's. Throws GitError 'not_found' when one of them is not there.
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
 * Whether a ref leads to a commit. Where somebody's clock is wrong, the walk above gives up before it comes to what lies
 * behind commits that seem older than they are; this one does not look at the time.
 */
async function isHeld(repo: Repository, oid: Oid): Promise<boolean> {
  const args = ['for-each-ref', '--count=1', '--format=%(refname)', '--contains', oid]
  const { code, stdout, stderr } = await runGit(repo, args, { timeoutMs: 600_000 })
  if (code !== 0) throw commandError('look for the refs of a commit', code, stderr)
  return stdout.length > 0
}
