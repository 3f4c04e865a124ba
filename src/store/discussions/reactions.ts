import { sql } from 'kysely'
import { among } from '../dialect.ts'
import { Rows } from '../rows.ts'
import type { Store } from '../store.ts'
import { query, sqlRows } from '../store.ts'
import type { ReactionRow } from '../tables/rows.ts'

const reactions = new Rows('reaction')

/** The target of a reaction: a comment (`replyId` ''), or one of its replies. */
export type ReactionTarget = { commentId: string; replyId: string }

/** Inserts a reaction. An existing one stays as it is. */
export const putReaction = reactions.insertNew

/** Deletes a user's reaction. Returns the number of deleted rows. */
export const deleteReaction = (
  store: Store,
  { commentId, replyId }: ReactionTarget,
  userId: string,
  emoji: string,
): number =>
  store.run(
    query
      .deleteFrom('reaction')
      .where('comment_id', '=', commentId)
      .where('reply_id', '=', replyId)
      .where('emoji', '=', emoji)
      .where('user_id', '=', userId),
  )

/** Returns the number of different emoji on a comment or reply. */
export const countEmoji = (store: Store, { commentId, replyId }: ReactionTarget): number =>
  store.get(
    query
      .selectFrom('reaction')
      .select(({ fn }) => fn.count<number>('emoji').distinct().as('count'))
      .where('comment_id', '=', commentId)
      .where('reply_id', '=', replyId),
  )?.count ?? 0

/** A reaction with the number of reactions with the same emoji on the same comment or reply. */
export type CountedReaction = ReactionRow & { count: number }

/**
 * The largest number of reactions of a comment or reply in an answer, and of many together; counts
 * include all.
 */
const mostShown = 1000
const mostTogether = 50_000

/**
 * Returns the reactions to these comments in order of creation: up to 1,000 for each, fewer if
 * there are very many comments, and always the first one of each emoji.
 */
export const listCommentReactions = (
  store: Store,
  commentIds: readonly string[],
): CountedReaction[] =>
  store.all(counted(sql`comment_id in ${among(commentIds)} and reply_id = ''`, commentIds.length))

/** Returns the reactions to replies of one comment, with the same limits. */
export const listReplyReactions = (
  store: Store,
  commentId: string,
  replyIds: readonly string[],
): CountedReaction[] =>
  store.all(
    counted(sql`comment_id = ${commentId} and reply_id in ${among(replyIds)}`, replyIds.length),
  )

const counted = (where: ReturnType<typeof sql>, many: number) =>
  sqlRows<CountedReaction>(sql`
    select comment_id, reply_id, emoji, user_id, reacted_at, count from (
      select *, count(*) over (partition by comment_id, reply_id, emoji) as count,
        row_number() over (partition by comment_id, reply_id, emoji order by reacted_at) as turn,
        row_number() over (partition by comment_id, reply_id order by reacted_at, emoji) as place
      from reaction where ${where}) as counted
    where turn = 1 or place <= ${Math.min(mostShown, Math.floor(mostTogether / Math.max(many, 1)))}
    order by reacted_at, emoji`)
