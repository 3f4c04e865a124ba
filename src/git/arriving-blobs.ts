import { commandError } from './errors.ts'
import { type Oid, parseOid } from './oid.ts'
import type { Repository } from './repository.ts'
import { runGit } from './run.ts'

/**
 * The blobs of a commit and of its history that no ref of the repository holds; refs that begin like one of `beside` do
 * not count. Throws GitError.
 */
export async function arrivingBlobs(
  repo: Repository,
  commit: Oid,
  beside: readonly string[],
): Promise<Oid[]> {
  const args = [
    ...['rev-list', '--objects', '--no-object-names', '--filter=object:type=blob'],
    ...['--filter-provided-objects', commit, '--not'],
    ...beside.map(prefix => `--exclude=${prefix}*`),
    '--all',
  ]
  const { code, stdout, stderr } = await runGit(repo, args, { timeoutMs: 600_000 })
  if (code !== 0) throw commandError('list what a commit brings', code, stderr)
  return stdout
    .toString()
    .split('\n')
    .flatMap(line => parseOid(line) ?? [])
}
