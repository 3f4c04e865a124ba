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

export type NewRepository = {
  spaceId: string
  repo: Repository
  /** A copied repository has its refs already: `from` is `to`. */
  moves: readonly RefMove[]
}

/**
 * Publishes repositories that no row names yet as those of new spaces: moves their refs, then writes
 * their rows, and those of their refs, in one transaction. `rows` runs inside it: it checks rights
 * again, and writes the rows of the spaces. Needs no intent: a process that is killed in between
 * leaves repositories without a row, which are set aside. Check the content before.
 */
export async function publishNew<Result>(
  ctx: Context,
  made: readonly NewRepository[],
  rows: () => Result,
): Promise<Result> {
  if (isCache(ctx)) return publishNewShared(ctx, made, rows)
  for (const { repo, moves } of made)
    await moveRefs(
      repo,
      moves.filter(({ from, to }) => from !== to),
    )
  const result = ctx.store.transact(() => {
    const result = rows()
    for (const each of made) putRefs(ctx, each)
    return result
  })
  crashPoint('W6')
  return result
}

function putRefs({ store }: Context, { spaceId, moves }: NewRepository): void {
  for (const { ref, to } of moves) putMirroredRef(store, spaceId, ref, to)
}

/** Publishes repositories to the database that nodes share. Their folders follow. */
async function publishNewShared<Result>(
  ctx: Context,
  made: readonly NewRepository[],
  rows: () => Result,
): Promise<Result> {
  const { store } = ctx
  const sent: (NewRepository & Sent)[] = []
  let result: Result
  try {
    for (const each of made) {
      const { spaceId, repo, moves } = each
      const pack = await sendPack(ctx, spaceId, repo, {
        wants: moves.flatMap(({ to }) => to ?? []),
      })
      sent.push({ ...each, pack, epoch: randomId(), mark: newMark() })
    }
    result = store.transact(() => {
      const result = rows()
      for (const each of sent) {
        const { spaceId, repo, pack, epoch, mark } = each
        putRefs(ctx, each)
        insertGitState(store, { space_id: spaceId, epoch, head: defaultBranch(repo), mark })
        placePack(ctx, spaceId, pack, { seq: 1, mark })
      }
      return result
    })
  } catch (error) {
    for (const { spaceId, pack } of sent) dropPack(ctx, spaceId, pack)
    throw error
  }
  crashPoint('W6')
  for (const { spaceId, moves, epoch, mark } of sent)
    await follow(ctx, spaceId, { epoch, seq: 1, mark, hasPack: true, moves })
  return result
}

/** A pack on its way to the database, with the first state of its repository there. */
type Sent = {
  pack: Awaited<ReturnType<typeof sendPack>>
  epoch: string
  mark: ReturnType<typeof newMark>
}
