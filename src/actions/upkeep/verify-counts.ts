import type { Context } from '../../context.ts'
import { pauses } from '../../lib/slices.ts'
import { findMiscounts, type Miscount, mendMiscount } from '../../store/discussions/comment-counts.ts'
import type { Problem } from './verify-repository.ts'

/** What is wrong with a number, as the end of a sentence about what it is kept for. */
const said = ({ of, id, userId, held, counted }: Miscount): string => {
  const words = {
    space: 'open comments of the space',
    change_request: `open comments of the change request ${id}`,
    comment: `replies to the comment ${id}`,
    commenter: `comments and replies of the user ${userId}${id && ` in the change request ${id}`}`,
  }
  return `The number of ${words[of]} is kept as ${held}, but there are ${counted}.`
}

/** Every number of comments and replies that is not what a count of them gives. */
export async function verifyCounts(ctx: Context): Promise<Problem[]> {
  const pause = pauses()
  const problems: Problem[] = []
  for (const miscounts of findMiscounts(ctx.store)) {
    for (const miscount of miscounts)
      problems.push({
        space: miscount.spaceId,
        what: said(miscount),
        remedy: 'Leave a server running on the folder: it counts them anew within a day.',
      })
    await pause()
  }
  return problems
}

/** Counts anew what is wrong, and says in the log what that was: nothing should ever be. */
export async function mendCounts(ctx: Context): Promise<void> {
  const pause = pauses()
  for (const miscounts of findMiscounts(ctx.store)) {
    for (const miscount of miscounts) {
      mendMiscount(ctx.store, miscount)
      ctx.log.error({ space: miscount.spaceId }, `${said(miscount)} It was counted anew.`)
    }
    await pause()
  }
}
