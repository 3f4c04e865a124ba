import { existsSync } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import type { Context } from '../../context.ts'
import type { Repository } from '../../git/process/processes.ts'
import { listRefs } from '../../git/refs/refs.ts'
import { checkRepositoryConfig } from '../../git/repositories/repository.ts'
import { fsckRepository } from '../../git/repositories/upkeep.ts'
import { isGitError } from '../../git/values/errors.ts'
import { randomId } from '../../lib/digest.ts'
import { findGitState } from '../../store/cluster/git-state.ts'
import { listMirroredRefs } from '../../store/git/refs.ts'
import { catchUpNow } from '../catch-up/catch-up.ts'
import { isAt, readPosition, writePosition } from '../catch-up/position.ts'
import { areSame } from '../moving/build-from-rows.ts'
import { repositoryOf } from '../repositories/repository-of.ts'

/** A position that no repository has: a node that finds it makes the folder again. */
const nowhere = { epoch: '0', seq: 0, mark: '', packMark: '' }

/**
 * Makes the folder that this node has of a repository again if it is damaged. Unless this process is `alone`
 * in the data folder, the server does that at its next use of the repository. Returns what was done.
 */
export async function renewFolder(
  ctx: Context,
  key: string,
  alone: boolean,
): Promise<'whole' | 'made again' | 'to be made again'> {
  const repo = repositoryOf(ctx, key)
  const isMissing = !existsSync(repo.dir)
  if (!isMissing && (await isWhole(ctx, repo, key))) return 'whole'
  ctx.processes.closeRepository(repo.dir)
  if (!alone) {
    if (!isMissing) writePosition(repo.dir, nowhere)
    return isMissing ? 'whole' : 'to be made again'
  }
  if (!isMissing) {
    const old = `${repo.dir}.old-${randomId(8)}`
    await rename(repo.dir, old)
    await rm(old, { recursive: true, force: true })
  }
  await catchUpNow(ctx, key)
  return isMissing ? 'whole' : 'made again'
}

/** Returns whether a folder is whole. One that is behind the database may be. */
async function isWhole(ctx: Context, repo: Repository, key: string): Promise<boolean> {
  try {
    await checkRepositoryConfig(repo)
    const [state, refs] = ctx.store.transact(() => [
      findGitState(ctx.store, key),
      listMirroredRefs(ctx.store, key),
    ])
    const isThere = () => state !== undefined && isAt(readPosition(repo.dir), state)
    if (isThere() && !areSame(await listRefs(repo, 'refs/'), refs) && isThere()) return false
    return (await fsckRepository(repo)).length === 0
  } catch (error) {
    if (!isGitError(error)) throw error
    return false
  }
}
