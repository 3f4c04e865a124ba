import type { Context } from '../../context.ts'
import { pauses } from '../../lib/slices.ts'
import {
  findMiscounts,
  type Miscount,
  mendMiscount,
} from '../../store/discussions/comment-counts.ts'
import type { Problem } from './verify-repository.ts'

/** Returns a wrong count as a sentence. */
function describe({ of, id, userId, held, counted }: Miscount): string {
  const words = {
    space: 'open comments of the space',
    change_request: `open comments of the change request ${id}`,
    comment: `replies to the comment ${id}`,
    commenter: `comments and replies of the user ${userId}${id && ` in the change request ${id}`}`,
  }
  return `The stored number of ${words[of]} is ${held}, but there are ${counted}.`
}

/** Returns every stored number of comments and replies that differs from a count of them. */
export async function verifyCounts(ctx: Context): Promise<Problem[]> {
  const pause = pauses()
  const problems: Problem[] = []
  for (const miscounts of findMiscounts(ctx.store)) {
    for (const miscount of miscounts)
      problems.push({
        space: miscount.spaceId,
        what: describe(miscount),
        remedy: 'Keep a server running on the folder. It counts them again within a day.',
      })
    await pause()
  }

  return problems
}

/** Corrects wrong counts, and logs each as an error because none is expected. */
export async function mendCounts(ctx: Context): Promise<void> {
  const pause = pauses()
  for (const miscounts of findMiscounts(ctx.store)) {
    for (const miscount of miscounts) {
      mendMiscount(ctx.store, miscount)
      ctx.log.error({ space: miscount.spaceId }, `${describe(miscount)} It has been corrected.`)
    }
    await pause()
  }
}
