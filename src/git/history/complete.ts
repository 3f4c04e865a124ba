import type { Oid } from '../../lib/oid.ts'
import type { Repository } from '../process/processes.ts'
import { runGit } from '../process/run.ts'
import { commandError } from '../values/errors.ts'

/**
 * Returns whether all objects reachable from the commit exist, apart from those reachable from the
 * known commits.
 */
export const isComplete = (repo: Repository, oid: Oid, known: readonly Oid[]): Promise<boolean> =>
  areComplete(repo, [oid], known)

/** Returns those of the commits, or other objects, of which an object that they reach is missing. */
export async function incompleteOf(repo: Repository, oids: Iterable<Oid>): Promise<Set<Oid>> {
  const all = [...new Set(oids)]
  if (await areComplete(repo, all, [])) return new Set()
  const whole: Oid[] = []
  const broken = new Set<Oid>()
  for (const oid of all) {
    if (await areComplete(repo, [oid], whole)) whole.push(oid)
    else broken.add(oid)
  }
  return broken
}

async function areComplete(
  repo: Repository,
  oids: readonly Oid[],
  known: readonly Oid[],
): Promise<boolean> {
  if (oids.length === 0) return true
  const input = [...oids, ...known.map(id => `^${id}`)].join('\n')
  const { code, stderr } = await runGit(repo, ['rev-list', '--objects', '--quiet', '--stdin'], {
    input: `${input}\n`,
  })
  if (code === 0) return true
  const error = commandError('check that all objects are there', code, stderr)
  if (error.code === 'no_space' || error.code === 'timeout') throw error
  return false
}
