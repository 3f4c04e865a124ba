import { commandError } from './errors.ts'
import { type Oid, parseOid } from './oid.ts'
import type { Repository } from './repository.ts'
import { runGit } from './run.ts'

/**
 * The commits at which refs below `prefix` stand and from which `oid` can be reached: one process for all of
 * them. Throws GitError 'not_found'.
 */
export async function headsContaining(repo: Repository, oid: Oid, prefix: string): Promise<Set<Oid>> {
  const args = ['for-each-ref', `--contains=${oid}`, '--format=%(objectname)', prefix.replace(/\/+$/, '')]
  const { code, stdout, stderr } = await runGit(repo, args)
  if (code !== 0) throw commandError('look for a commit', code, stderr)
  return new Set(
    stdout
      .toString()
      .split('\n')
      .map(parseOid)
      .filter(head => head !== undefined),
  )
}
