import type { Context } from '../../context.ts'
import type { Repository } from '../../git/process/processes.ts'
import { moveRefs, type RefMove } from '../../git/refs/refs.ts'
import { crashPoint } from '../../lib/crash-points.ts'
import { putMirroredRef } from '../../store/git/refs.ts'

/**
 * Publishes a repository that no row names yet as that of a new space: moves its refs, then writes
 * its rows, and those of its refs, in one transaction. Needs no intent: a process that is killed in
 * between leaves a repository without a row, which is set aside. Check the content before.
 */
export async function publishNew<Result>(
  ctx: Context,
  repo: Repository,
  {
    spaceId,
    moves,
    rows,
  }: {
    spaceId: string
    /** A copied repository has its refs already: `from` is `to`. */
    moves: readonly RefMove[]
    /** Runs inside the transaction. Checks rights again, and writes the rows of the space. */
    rows: () => Result
  },
): Promise<Result> {
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
