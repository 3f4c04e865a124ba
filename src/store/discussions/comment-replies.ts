import { sql } from 'kysely'
import { among } from '../dialect.ts'
import { Rows } from '../rows.ts'
import type { Store } from '../store.ts'
import { sqlRows } from '../store.ts'

const commentReplies = new Rows('comment_reply')

/** Inserts a reply. */
export const insertReply = commentReplies.insert

/** Returns the reply with this id to this comment. */
export const findReply = commentReplies.find('comment_id', 'id')

/** Returns up to `limit` replies to a comment after the `seq` of `after`, oldest first. */
export const listReplies = commentReplies.page('asc', 'comment_id')

/** Changes the text of a reply. Returns the new row. */
export const updateReply = commentReplies.update('id')

/** Deletes a reply with its reactions. Returns the number of deleted rows. */
export const deleteReply = commentReplies.remove('id')

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
        from comment_reply where comment_id in ${among(commentIds)}
        group by comment_id, posted_by) as replier
      where place <= ${Math.min(mostShown, Math.floor(mostTogether / Math.max(commentIds.length, 1)))}
      order by updated_at desc, user_id`),
  )
