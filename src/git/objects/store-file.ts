import type { Oid } from '../../lib/oid.ts'
import type { Repository } from '../process/processes.ts'
import { runGit } from '../process/run.ts'
import { commandError, GitError } from '../values/errors.ts'
import { infoInFolder } from './objects.ts'

/** A file on disk that becomes a blob: the id that its bytes have, and its absolute path. */
export type BlobFile = { oid: Oid; size: number; path: string }

/** The most milliseconds that git may take to compress a file. */
const patienceMs = 300_000

/**
 * Writes a file on disk into the repository as a blob, by a git process that reads it piece by
 * piece. Throws GitError 'no_space', and 'failed' if the file is gone or has other bytes.
 */
export async function storeFile(repo: Repository, { oid, path }: BlobFile): Promise<void> {
  if ((await infoInFolder(repo, [oid])).has(oid)) return
  const args = ['hash-object', '-w', '--no-filters', '--', path]
  const { code, stdout, stderr } = await runGit(repo, args, { timeoutMs: patienceMs })
  if (code !== 0) throw commandError('write a file', code, stderr)
  if (stdout.toString('latin1').trim() !== oid)
    throw new GitError('failed', 'A file changed while it was written.', { oid })
}
