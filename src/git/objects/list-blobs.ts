import { type Oid, parseOid } from '../../lib/oid.ts'
import type { Repository } from '../process/processes.ts'
import { runGit } from '../process/run.ts'
import { commandError } from '../values/errors.ts'

const hours = 3_600_000

/** Returns all blobs that a repository has, whether a ref reaches them or not. */
export async function listBlobs(repo: Repository): Promise<Oid[]> {
  const args = [
    'cat-file',
    '--batch-all-objects',
    '--batch-check=%(objecttype) %(objectname)',
    '--unordered',
  ]
  const { code, stdout, stderr } = await runGit(repo, args, { timeoutMs: hours })
  if (code !== 0) throw commandError('list the blobs', code, stderr)
  return stdout
    .toString('latin1')
    .split('\n')
    .flatMap(line => (line.startsWith('blob ') ? (parseOid(line.slice(5)) ?? []) : []))
}
