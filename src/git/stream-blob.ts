import { commandError } from './errors.ts'
import type { Oid } from './oid.ts'
import type { Repository } from './repository.ts'
import { streamGit } from './run.ts'

/**
 * The bytes of a blob of any size, a piece at a time, never all of them in memory. It holds a place among the running
 * git processes until the last piece was taken: take them fast. Throws GitError 'not_found', 'timeout', 'busy'.
 */
export const streamBlob = (repo: Repository, oid: Oid): AsyncGenerator<Buffer, void, undefined> =>
  streamGit(
    repo,
    ['cat-file', 'blob', oid],
    { maxStdout: Number.POSITIVE_INFINITY, timeoutMs: 300_000 },
    (code, stderr) => commandError('read a file', code, stderr),
  )
