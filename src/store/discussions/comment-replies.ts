import { sql } from 'kysely'
import type { Store } from '../store.ts'
import { query, sqlRows } from '../store.ts'
import type { CommentReplyRow } from '../tables/rows.ts'

/** Inserts a reply. */
export const insertReply = (
  store: Store,
  row: Omit<CommentReplyRow, 'seq' | 'edited_at'>,
): CommentReplyRow =>
  store.get(
    query
      .insertInto('comment_reply')
      .values({ edited_at: null, ...row })
      .returningAll(),
  ) as CommentReplyRow

/** Returns the reply with this id to this comment. */
export const findReply = (
  store: Store,
  commentId: string,
  id: string,
): CommentReplyRow | undefined =>
  store.get(
    query
      .selectFrom('comment_reply')
      .selectAll()
      .where('id', '=', id)
      .where('comment_id', '=', commentId),
  )

/** Returns up to `limit` replies to a comment after the `seq` of `after`, oldest first. */
export const listReplies = (
  store: Store,
  commentId: string,
  limit: number,
  after = 0,
): CommentReplyRow[] =>
  store.all(
    query
      .selectFrom('comment_reply')
      .selectAll()
      .where('comment_id', '=', commentId)
      .where('seq', '>', after)
      .orderBy('seq')
      .limit(limit),
  )

/** Changes the text of a reply. Returns the new row. */
export const updateReply = (
  store: Store,
  id: string,
  set: Pick<CommentReplyRow, 'body' | 'edited_at'>,
): CommentReplyRow | undefined =>
  store.get(query.updateTable('comment_reply').set(set).where('id', '=', id).returningAll())

/** Deletes a reply with its reactions. Returns the number of deleted rows. */
export const deleteReply = (store: Store, id: string): number =>
  store.run(query.deleteFrom('comment_reply').where('id', '=', id))

/** A user who replied to a comment, with the number of replies and the time of the last. */
export type ReplierRow = { comment_id: string; user_id: string; count: number; updated_at: string }

/** The largest number of repliers of a comment in an answer, and of many comments together. */
const mostShown = 1000
const mostTogether = 50_000

/**
 * Returns the users who replied to these comments, latest first: up to 1,000 for each comment,
 * fewer if there are very many.
 */
export const listRepliers = (store: Store, commentIds: readonly string[]): ReplierRow[] =>
  store.all(
    sqlRows<ReplierRow>(sql`
      select comment_id, user_id, count, updated_at from (
        select comment_id, posted_by as user_id, count(*) as count, max(posted_at) as updated_at,
          row_number() over (partition by comment_id order by max(posted_at) desc, posted_by) as place
        from comment_reply where comment_id in (select value from json_each(${commentIds}))
        group by comment_id, posted_by)
      where place <= ${Math.min(mostShown, Math.floor(mostTogether / Math.max(commentIds.length, 1)))}
      order by updated_at desc, user_id`),
  )
