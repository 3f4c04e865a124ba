import { type Oid, parseOid } from '../../lib/oid.ts'
import type { Repository } from '../process/processes.ts'
import { runGit } from '../process/run.ts'
import { commandError } from '../values/errors.ts'

/**
 * Returns those of the commits that no ref reaches, in their order: one process for all of them,
 * and one more for each suspect. Throws GitError 'not_found' when one of them does not exist.
 */
export async function unreachableCommits(
  repo: Repository,
  commits: readonly Oid[],
): Promise<Oid[]> {
  const suspects = await walk(repo, commits, ['--not', '--all'])
  const lost: Oid[] = []
  for (const oid of suspects) if (!(await isHeld(repo, oid))) lost.push(oid)
  return lost
}

/**
 * Returns those of the commits that none of these tips (commits, tags or other objects) reaches, in
 * their order. Where a commit date is wrong, it may also return commits that a tip reaches. Throws
 * like `unreachableCommits`.
 */
export const commitsBeyond = (
  repo: Repository,
  commits: readonly Oid[],
  tips: Iterable<Oid>,
): Promise<Oid[]> => walk(repo, commits, [], tips)

/**
 * Returns the commits that `git rev-list` lists when it starts at all of them and excludes what the
 * tips reach.
 */
async function walk(
  repo: Repository,
  commits: readonly Oid[],
  excluding: readonly string[],
  tips: Iterable<Oid> = [],
): Promise<Oid[]> {
  if (commits.length === 0) return []
  const unique = [...new Set(commits)]
  const { code, stdout, stderr } = await runGit(repo, ['rev-list', '--stdin', ...excluding], {
    input: [...unique, ...Array.from(new Set(tips), oid => `^${oid}`)]
      .map(line => `${line}\n`)
      .join(''),
    timeoutMs: 600_000,
  })
  if (code !== 0) throw commandError('look for commits', code, stderr)

  const listed = new Set(stdout.toString().split('\n').map(parseOid))

  return unique.filter(oid => listed.has(oid))
}

/**
 * Returns whether a ref reaches a commit. Where a commit date is wrong, the walk above stops before
 * commits behind seemingly older ones; this one ignores dates.
 */
async function isHeld(repo: Repository, oid: Oid): Promise<boolean> {
  const args = ['for-each-ref', '--count=1', '--format=%(refname)', '--contains', oid]
  const { code, stdout, stderr } = await runGit(repo, args, { timeoutMs: 600_000 })
  if (code !== 0) throw commandError('look for the refs of a commit', code, stderr)
  return stdout.length > 0
}
