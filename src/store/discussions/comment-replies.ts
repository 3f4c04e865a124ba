import { sql } from 'kysely'
import type { Store } from '../store.ts'
import { query, sqlRows } from '../store.ts'
import type { CommentReplyRow } from '../tables/rows.ts'

/** Adds a reply. */
export const insertReply = (store: Store, row: Omit<CommentReplyRow, 'seq' | 'edited_at'>): CommentReplyRow =>
  store.get(
    query
      .insertInto('comment_reply')
      .values({ edited_at: null, ...row })
      .returningAll(),
  ) as CommentReplyRow

/** The reply with this id, as far as it is one to this comment. */
export const findReply = (store: Store, commentId: string, id: string): CommentReplyRow | undefined =>
  store.get(
    query.selectFrom('comment_reply').selectAll().where('id', '=', id).where('comment_id', '=', commentId),
  )

/** The replies to a comment, oldest first, `limit` from after the one with the `seq` of `after`. */
export const listReplies = (store: Store, commentId: string, limit: number, after = 0): CommentReplyRow[] =>
  store.all(
    query
      .selectFrom('comment_reply')
      .selectAll()
      .where('comment_id', '=', commentId)
      .where('seq', '>', after)
      .orderBy('seq')
      .limit(limit),
  )

/** Gives a reply another text; the row as it is then. */
export const updateReply = (
  store: Store,
  id: string,
  set: Pick<CommentReplyRow, 'body' | 'edited_at'>,
): CommentReplyRow | undefined =>
  store.get(query.updateTable('comment_reply').set(set).where('id', '=', id).returningAll())

/** Removes a reply with its reactions; how many there were. */
export const deleteReply = (store: Store, id: string): number =>
  store.run(query.deleteFrom('comment_reply').where('id', '=', id))

/** Somebody who replied to a comment: how often, and when last. */
export type ReplierRow = { comment_id: string; user_id: string; count: number; updated_at: string }

/** The most repliers of a comment that are given, and of many together. */
const mostShown = 1000
const mostTogether = 50_000

/** Who replied to these comments, latest first: up to 1,000 for each, fewer for each of very many. */
export const listRepliers = (store: Store, commentIds: readonly string[]): ReplierRow[] =>
  store.all(
    sqlRows<ReplierRow>(sql`
      select comment_id, user_id, count, updated_at from (
        select comment_id, posted_by as user_id, count(*) as count, max(posted_at) as updated_at,
          row_number() over (partition by comment_id order by max(posted_at) desc, posted_by) as place
        from comment_reply where comment_id in (select value from json_each(${JSON.stringify(commentIds)}))
        group by comment_id, posted_by)
      where place <= ${Math.min(mostShown, Math.floor(mostTogether / Math.max(commentIds.length, 1)))}
      order by updated_at desc, user_id`),
  )
