import type { Context } from '../../context.ts'
import type { Repository } from '../../git/process/processes.ts'
import { defaultBranch } from '../../git/refs/default-branch.ts'
import { moveRefs, type RefMove } from '../../git/refs/refs.ts'
import { crashPoint } from '../../lib/crash-points.ts'
import { randomId } from '../../lib/digest.ts'
import { insertGitState } from '../../store/cluster/git-state.ts'
import { putMirroredRef } from '../../store/git/refs.ts'
import { follow } from '../catch-up/catch-up.ts'
import { newMark } from '../catch-up/position.ts'
import { isCache } from '../repositories/repository-of.ts'
import { dropPack, placePack, sendPack } from './send-pack.ts'

type NewRepository<Result> = {
  spaceId: string
  /** A copied repository has its refs already: `from` is `to`. */
  moves: readonly RefMove[]
  /** Runs inside the transaction. Checks rights again, and writes the rows of the space. */
  rows: () => Result
}

/**
 * Publishes a repository that no row names yet as that of a new space: moves its refs, then writes
 * its rows, and those of its refs, in one transaction. Needs no intent: a process that is killed in
 * between leaves a repository without a row, which is set aside. Check the content before.
 */
export async function publishNew<Result>(
  ctx: Context,
  repo: Repository,
  made: NewRepository<Result>,
): Promise<Result> {
  const { spaceId, moves, rows } = made
  if (isCache(ctx)) return publishNewShared(ctx, repo, made)
  await moveRefs(
    repo,
    moves.filter(({ from, to }) => from !== to),
  )
  const result = ctx.store.transact(() => {
    const result = rows()
    for (const { ref, to } of moves) putMirroredRef(ctx.store, spaceId, ref, to)
    return result
  })
  crashPoint('W6')
  return result
}

/** Publishes a repository to the database that nodes share. Its folder follows. */
async function publishNewShared<Result>(
  ctx: Context,
  repo: Repository,
  { spaceId: key, moves, rows }: NewRepository<Result>,
): Promise<Result> {
  const { store } = ctx
  const [epoch, mark] = [randomId(), newMark()]
  const head = defaultBranch(repo)
  const pack = await sendPack(ctx, key, repo, { wants: moves.flatMap(({ to }) => to ?? []) })
  let result: Result
  try {
    result = store.transact(() => {
      const result = rows()
      for (const { ref, to } of moves) putMirroredRef(store, key, ref, to)
      insertGitState(store, { space_id: key, epoch, head, mark })
      placePack(ctx, key, pack, { seq: 1, mark })
      return result
    })
  } catch (error) {
    dropPack(ctx, key, pack)
    throw error
  }
  crashPoint('W6')
  await follow(ctx, key, { epoch, seq: 1, mark, hasPack: true, moves })
  return result
}
