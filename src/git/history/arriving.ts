import { type Oid, parseOid } from '../../lib/oid.ts'
import { readCommit } from '../objects/objects.ts'
import type { Repository } from '../process/processes.ts'
import { runGit } from '../process/run.ts'
import { commandError } from '../values/errors.ts'

/** The commits and refs that are already known. */
export type Held = {
  commits: readonly Oid[]
  /** Prefixes of ref names, e.g. 'refs/heads/'. */
  refs: readonly string[]
}

/**
 * Returns a commit and those of its ancestors that are not reachable from what is already held.
 * Throws GitError.
 */
export async function arrivingCommits(repo: Repository, commit: Oid, held: Held): Promise<Oid[]> {
  const [only, ...others] = new Set(held.commits)
  if (only !== undefined && others.length + held.refs.length === 0) {
    const { oid, parents = [] } = (await readCommit(repo, commit)) ?? {}
    // A commit that only follows the one that is held needs no process.
    if (oid === commit && parents.length === 1 && parents[0] === only) return [commit]
  }
  return listBeyond(repo, [], commit, held)
}

/**
 * Returns the blobs of a commit and its ancestors that are not already held; it may include blobs
 * that only an old held commit contains. Throws GitError.
 */
export const arrivingBlobs = (repo: Repository, commit: Oid, held: Held): Promise<Oid[]> =>
  listBeyond(
    repo,
    ['--objects', '--no-object-names', '--filter=object:type=blob', '--filter-provided-objects'],
    commit,
    held,
  )

async function listBeyond(
  repo: Repository,
  options: readonly string[],
  commit: Oid,
  { commits, refs }: Held,
): Promise<Oid[]> {
  const args = [
    'rev-list',
    ...options,
    '--stdin',
    '--not',
    ...refs.map(prefix => `--glob=${prefix}*`),
  ]

  // There may be more commits than arguments can hold.
  const input = `${[commit, ...commits.map(oid => `^${oid}`)].join('\n')}\n`
  const { code, stdout, stderr } = await runGit(repo, args, { input, timeoutMs: 600_000 })
  if (code !== 0) throw commandError('list new commits', code, stderr)

  return stdout
    .toString()
    .split('\n')
    .flatMap(line => parseOid(line) ?? [])
}
