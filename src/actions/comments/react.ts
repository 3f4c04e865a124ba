import type { Context } from '../../context.ts'
import { Fault } from '../../errors.ts'
import {
  countEmoji,
  deleteReaction,
  putReaction,
  type ReactionTarget,
} from '../../store/discussions/reactions.ts'

/** The maximum number of different emoji on a comment or reply. */
export const mostEmoji = 50

/**
 * Removes and adds a user's reactions, each at most once. Returns how many rows changed, or
 * undefined for none. Throws 'conflict' when the comment or reply would have too many different
 * emoji.
 */
export function react(
  ctx: Context,
  target: ReactionTarget,
  userId: string,
  {
    addedReactions = [],
    removedReactions = [],
  }: { addedReactions?: string[] | undefined; removedReactions?: string[] | undefined },
): { added: number; removed: number } | undefined {
  let [added, removed] = [0, 0]
  for (const emoji of removedReactions) removed += deleteReaction(ctx.store, target, userId, emoji)

  for (const emoji of addedReactions) {
    const row = {
      comment_id: target.commentId,
      reply_id: target.replyId,
      emoji,
      user_id: userId,
      // Each has its own time, which defines their order.
      reacted_at: ctx.now().toISOString(),
    }
    if (putReaction(ctx.store, row)) added++
  }

  if (added > 0 && countEmoji(ctx.store, target) > mostEmoji)
    throw new Fault(
      'limit_reached',
      `There are already reactions with ${mostEmoji} different emoji, which is the limit. Use one of those.`,
    )

  return added + removed > 0 ? { added, removed } : undefined
}
