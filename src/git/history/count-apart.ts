import type { Oid } from '../../lib/oid.ts'
import type { Repository } from '../process/processes.ts'
import { runGit } from '../process/run.ts'
import { commandError } from '../values/errors.ts'

/**
 * Returns how many commits each of two commits has that the other has not. Throws GitError
 * 'not_found', 'timeout'.
 */
export async function countApart(
  repo: Repository,
  one: Oid,
  other: Oid,
): Promise<{ one: number; other: number }> {
  if (one === other) return { one: 0, other: 0 }
  const args = [
    'rev-list',
    '--left-right',
    '--count',
    '--end-of-options',
    `${one}...${other}`,
    '--',
  ]
  const { code, stdout, stderr } = await runGit(repo, args)
  if (code !== 0) throw commandError('count commits', code, stderr)
  const [left = '', right = ''] = stdout.toString().trim().split(/\s+/)
  return { one: Number(left), other: Number(right) }
}
