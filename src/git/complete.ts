import { commandError } from './errors.ts'
import type { Oid } from './oid.ts'
import type { Repository } from './repository.ts'
import { runGit } from './run.ts'

/** True when everything reachable from the commit is there, as far as it is not reachable from the known ones. */
export async function isComplete(repo: Repository, oid: Oid, known: readonly Oid[]): Promise<boolean> {
  const input = [oid, ...known.map(id => `^${id}`)].join('\n')
  const { code, stderr } = await runGit(repo, ['rev-list', '--objects', '--quiet', '--stdin'], {
    input: `${input}\n`,
  })
  if (code === 0) return true
  const error = commandError('check that all objects are there', code, stderr)
  if (error.code === 'no_space' || error.code === 'timeout') throw error
  return false
}
