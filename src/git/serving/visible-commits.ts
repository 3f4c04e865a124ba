import type { Oid } from '../../lib/oid.ts'
import { objectInfo } from '../objects/objects.ts'
import type { Repository } from '../process/processes.ts'
import { runGit } from '../process/run.ts'

const walkMs = 60_000

/**
 * Returns those of these ids that are commits to which the tips lead. Needs no process unless one
 * of them is a commit of the repository. Throws GitError 'busy', 'timeout', 'aborted'.
 */
export async function findVisibleCommits(
  repo: Repository,
  ids: readonly Oid[],
  { tips, signal }: { tips: readonly Oid[]; signal: AbortSignal },
): Promise<Oid[]> {
  const types = await objectInfo(repo, ids)
  const commits = ids.filter(oid => types.get(oid)?.type === 'commit')
  if (commits.length === 0 || tips.length === 0) return []

  const { code, stdout } = await runGit(repo, ['rev-list', '--stdin'], {
    input: `${[...commits, ...tips.map(oid => `^${oid}`)].join('\n')}\n`,
    slots: 'fetch',
    timeoutMs: walkMs,
    maxStdout: Number.POSITIVE_INFINITY,
    signal,
  })

  // A history with gaps: a client that is taken to have nothing gets a whole pack.
  if (code !== 0) return []

  const hidden = new Set(stdout.toString('latin1').split('\n'))

  return commits.filter(oid => !hidden.has(oid))
}
