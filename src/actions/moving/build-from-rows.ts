import { installPack } from '../../git/exchange/install-pack.ts'
import type { GitProcesses, Repository } from '../../git/process/processes.ts'
import { listRefs, moveRefs } from '../../git/refs/refs.ts'
import { buildRepository } from '../../git/repositories/repository.ts'
import { fsckRepository } from '../../git/repositories/upkeep.ts'
import { listPacks, type RefsOf, readPack } from '../../store/engine/moving/git-rows.ts'
import type { Connection } from '../../store/engine/postgres/connection.ts'

/**
 * Makes the repository that a database has under a key in a folder, and checks it: its refs are those
 * of the rows, and git fsck finds no fault. Throws otherwise.
 */
export async function buildFromRows(
  connection: Connection,
  processes: GitProcesses,
  { key, dir, refs, head }: RefsOf & { key: string; dir: string },
): Promise<Repository> {
  const repo = await buildRepository(processes, dir, head, async made => {
    for (const seq of await listPacks(connection, key))
      await installPack({ dir: made }, readPack(connection, key, seq))
    await moveRefs(
      { dir: made, processes },
      [...refs].map(([ref, oid]) => ({ ref, from: null, to: oid })),
    )
    processes.closeRepository(made)
  })

  const made = await listRefs(repo, 'refs/')
  const [problem] = areSame(made, refs) ? await fsckRepository(repo) : ['its refs differ']
  processes.closeRepository(dir)
  if (problem !== undefined)
    throw new Error(
      `The packs of the repository ${key} in the database do not have what its refs need: ${problem}.`,
    )
  return repo
}

/** Returns whether two lists of refs are equal. */
export const areSame = (a: ReadonlyMap<string, string>, b: ReadonlyMap<string, string>): boolean =>
  a.size === b.size && [...a].every(([ref, oid]) => b.get(ref) === oid)
