import { commandError } from './errors.ts'
import { type Oid, parseOid } from './oid.ts'
import type { Repository } from './repository.ts'
import { runGit } from './run.ts'

/**
 * Those of the commits that no ref holds, in their order: one process for all of them. Throws GitError
 * 'not_found' when one of them is not there.
 */
export async function unreachableCommits(repo: Repository, commits: readonly Oid[]): Promise<Oid[]> {
  if (commits.length === 0) return []
  const args = ['rev-list', '--stdin', '--not', '--all']
  const { code, stdout, stderr } = await runGit(repo, args, {
    input: `${[...new Set(commits)].join('\n')}\n`,
    timeoutMs: 600_000,
  })
  if (code !== 0) throw commandError('look for commits', code, stderr)
  const lost = new Set(stdout.toString().split('\n').map(parseOid))
  return [...new Set(commits)].filter(oid => lost.has(oid))
}
