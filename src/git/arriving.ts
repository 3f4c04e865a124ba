import { commandError } from './errors.ts'
import { type Oid, parseOid } from './oid.ts'
import type { Repository } from './repository.ts'
import { runGit } from './run.ts'

/** What a commit may have in common with what is there already. */
export type Held = {
  commits: readonly Oid[]
  /** Prefixes of ref names, e.g. 'refs/heads/'. */
  refs: readonly string[]
}

/** Returns a commit and its ancestors, without those that can be reached from what is held. Throws GitError. */
export const arrivingCommits = (repo: Repository, commit: Oid, held: Held): Promise<Oid[]> =>
  listBeyond(repo, [], commit, held)

/**
 * Returns the blobs of a commit and of its ancestors that what is held does not have; a blob that only an old commit of
 * it has may be among them. Throws GitError.
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
  const without = [...commits, ...refs.map(prefix => `--glob=${prefix}*`)]
  const args = ['rev-list', ...options, commit, '--not', ...without]
  const { code, stdout, stderr } = await runGit(repo, args, { timeoutMs: 600_000 })
  if (code !== 0) throw commandError('list what a commit brings', code, stderr)
  return stdout
    .toString()
    .split('\n')
    .flatMap(line => parseOid(line) ?? [])
}
