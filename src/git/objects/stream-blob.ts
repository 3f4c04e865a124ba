import type { Oid } from '../../lib/oid.ts'
import type { Repository } from '../process/processes.ts'
import { streamGit } from '../process/run.ts'
import { commandError } from '../values/errors.ts'

/**
 * Yields the bytes of a blob of any size in chunks, never holding all of them in memory. It
 * occupies a process slot until the last chunk is consumed, so consume them without delay. Throws
 * GitError 'not_found', 'timeout', 'busy'.
 */
export const streamBlob = (repo: Repository, oid: Oid): AsyncGenerator<Buffer, void, undefined> =>
  streamGit(
    repo,
    ['cat-file', 'blob', oid],
    { maxStdout: Number.POSITIVE_INFINITY, timeoutMs: 300_000 },
    (code, stderr) => commandError('read a file', code, stderr),
  )
