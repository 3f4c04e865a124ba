import { type Oid, parseOid } from '../../lib/oid.ts'
import type { Repository } from '../process/processes.ts'
import { runGit } from '../process/run.ts'
import { commandError } from '../values/errors.ts'
import { parseRefLines } from '../values/parse.ts'

/**
 * Returns the commits that refs below `prefix` point at and from which `oid` is reachable, in one
 * process. Throws GitError 'not_found'.
 */
export async function headsContaining(
  repo: Repository,
  oid: Oid,
  prefix: string,
): Promise<Set<Oid>> {
  const args = [
    'for-each-ref',
    `--contains=${oid}`,
    '--format=%(objectname)',
    prefix.replace(/\/+$/, ''),
  ]
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

/**
 * Returns the refs below `prefix` whose commits are reachable from `oid`, the newest commit first,
 * in one process. Throws GitError 'not_found'.
 */
export async function refsWithin(
  repo: Repository,
  oid: Oid,
  prefix: string,
): Promise<Map<string, Oid>> {
  const args = [
    'for-each-ref',
    `--merged=${oid}`,
    '--sort=-committerdate',
    '--format=%(objectname) %(refname)',
    prefix.replace(/\/+$/, ''),
  ]
  const { code, stdout, stderr } = await runGit(repo, args)
  if (code !== 0) throw commandError('look for a commit', code, stderr)

  return parseRefLines(stdout.toString())
}
