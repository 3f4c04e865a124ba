import type { Oid } from '../../lib/oid.ts'
import type { Repository } from '../process/processes.ts'
import { runGit } from '../process/run.ts'
import { commandError } from '../values/errors.ts'

/** After this, a page is shown without its dates rather than late. */
const walkMs = 3000

/**
 * Returns when a file first and last changed up to a commit, in seconds since 1970, by walking the
 * history. Undefined when no commit changed it. Throws GitError 'not_found', 'timeout'.
 */
export async function pathTimes(
  repo: Repository,
  oid: Oid,
  path: string,
): Promise<{ first: number; last: number } | undefined> {
  const args = ['log', '--format=%ct', '--no-show-signature', '--no-notes', '--end-of-options', oid]
  const { code, stdout, stderr } = await runGit(repo, [...args, '--', path], {
    timeoutMs: walkMs,
  })
  if (code !== 0) throw commandError('read the history of a file', code, stderr)
  const times = stdout.toString().split('\n').filter(Boolean).map(Number)
  const [last, first] = [times[0], times.at(-1)]
  return last === undefined || first === undefined ? undefined : { first, last }
}
