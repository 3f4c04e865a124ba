import type { Oid } from '../../lib/oid.ts'
import type { Repository } from '../process/processes.ts'
import { runGit } from '../process/run.ts'
import { commandError } from '../values/errors.ts'

/**
 * Returns whether all objects reachable from the commit exist, apart from those reachable from the
 * known commits.
 */
export async function isComplete(
  repo: Repository,
  oid: Oid,
  known: readonly Oid[],
): Promise<boolean> {
  const input = [oid, ...known.map(id => `^${id}`)].join('\n')
  const { code, stderr } = await runGit(repo, ['rev-list', '--objects', '--quiet', '--stdin'], {
    input: `${input}\n`,
  })
  if (code === 0) return true
  const error = commandError('check that all objects are there', code, stderr)
  if (error.code === 'no_space' || error.code === 'timeout') throw error
  return false
}
