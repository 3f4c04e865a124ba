import type { Oid } from '../../lib/oid.ts'
import { objectInfo } from '../objects/objects.ts'
import type { Repository } from '../process/processes.ts'
import { streamGit } from '../process/run.ts'
import { commandError } from '../values/errors.ts'

/** How long a pack may take: that of a whole repository is read from the disk. */
const hours = 3_600_000

/** The objects of a pack: those that `wants` reach and `haves` do not. */
export type PackWish = { wants: readonly Oid[]; haves?: readonly Oid[] }

/**
 * Yields a pack of objects in chunks. It is thin: deltas may be based on objects that `haves` reach,
 * which the receiver must have. Haves that the repository lacks are ignored. Throws GitError if it
 * lacks an object of the pack.
 */
export async function* packObjects(
  repo: Repository,
  { wants, haves = [] }: PackWish,
): AsyncGenerator<Buffer, void, undefined> {
  const known = await objectInfo(repo, [...new Set(haves)])
  const input = [...new Set(wants), ...[...known.keys()].map(oid => `^${oid}`)]
  yield* streamGit(
    repo,
    ['pack-objects', '--revs', '--thin', '--stdout', '--delta-base-offset', '-q'],
    {
      input: input.map(line => `${line}\n`).join(''),
      maxStdout: Number.POSITIVE_INFINITY,
      timeoutMs: hours,
    },
    (code, stderr) => commandError('pack new objects', code, stderr),
  )
}
