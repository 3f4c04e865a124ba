import type { Oid } from '../../lib/oid.ts'
import type { Repository } from '../process/processes.ts'
import { runGit, streamGit } from '../process/run.ts'
import { commandError, isGitError } from '../values/errors.ts'
import { idsOf, ObjectIds } from './object-ids.ts'

/** Everything that some commits lead to. */
export type Reachable = { tips: ReadonlySet<Oid>; ids: ObjectIds }

const walkMs = 300_000

/**
 * Returns all objects that these commits lead to. `known` is an earlier result of the repository:
 * where the commits still lead to all of it, only what is new is walked. Throws GitError 'busy',
 * 'timeout', 'aborted', and those of a damaged repository.
 */
export async function findReachable(
  repo: Repository,
  tips: readonly Oid[],
  { known, signal }: { known?: Reachable | undefined; signal?: AbortSignal } = {},
): Promise<Reachable> {
  const set = new Set(tips)
  if (known && (await leadTo(repo, tips, known.tips, signal))) {
    const fresh = tips.filter(oid => !known.tips.has(oid))
    if (fresh.length === 0) return { tips: set, ids: known.ids }
    const ids = await walk(repo, [...fresh, ...[...known.tips].map(oid => `^${oid}`)], signal)
    return { tips: set, ids: await known.ids.with(ids) }
  }

  return {
    tips: set,
    ids: await ObjectIds.of(tips.length === 0 ? Buffer.alloc(0) : await walk(repo, tips, signal)),
  }
}

/** Returns whether the tips lead to all of the earlier ones; false where Git cannot tell. */
async function leadTo(
  repo: Repository,
  tips: readonly Oid[],
  earlier: ReadonlySet<Oid>,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const now = new Set(tips)
  const left = [...earlier].filter(oid => !now.has(oid))
  if (left.length === 0) return true

  const input = `${[...left, ...tips.map(oid => `^${oid}`)].join('\n')}\n`
  const options = { input, slots: 'fetch' as const, timeoutMs: walkMs, ...(signal && { signal }) }

  try {
    const { code, stdout } = await runGit(repo, ['rev-list', '--max-count=1', '--stdin'], options)
    return code === 0 && stdout.length === 0
  } catch (error) {
    if (isGitError(error, 'aborted') || isGitError(error, 'busy')) throw error
    return false
  }
}

function walk(
  repo: Repository,
  starts: readonly string[],
  signal: AbortSignal | undefined,
): Promise<Buffer> {
  const args = ['rev-list', '--objects', '--no-object-names', '--use-bitmap-index', '--stdin']
  const options = {
    input: `${starts.join('\n')}\n`,
    slots: 'fetch' as const,
    timeoutMs: walkMs,
    maxStdout: Number.POSITIVE_INFINITY,
    ...(signal && { signal }),
  }
  const failure = (code: number, stderr: string) => commandError('walk the branches', code, stderr)
  return idsOf(streamGit(repo, args, options, failure))
}
