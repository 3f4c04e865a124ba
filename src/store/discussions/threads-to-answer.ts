import { sql } from 'kysely'
import { among } from '../dialect.ts'
import type { Store } from '../store.ts'
import { sqlRows } from '../store.ts'
import type { CommentRow } from '../tables/rows.ts'

/** An open comment that waits for an answer, with its last post: the comment itself, or a reply. */
export type ThreadToAnswer = Pick<CommentRow, 'seq' | 'id' | 'space_id' | 'page_id'> & {
  /** Of the change request that it is on; null for one on a space. */
  number: number | null
  last_by: string
  last_at: string
  /** The start of its text; null for one that was sent as a document. */
  words: string | null
}

/** How many of the newest posts of a user, and of comments on their change requests, are looked at. */
const mostPosts = 500

/** The most characters of a post that are read. */
const mostWords = 300

/**
 * Returns up to `limit` open comments in some spaces that wait for a user, newest first: others
 * wrote last in a thread that the user takes part in, or on an unmerged change request of theirs.
 * The comment of a review counts as soon as it has replies: until then the review says what it asks
 * for. Looks at the newest posts only.
 */
export function listThreadsToAnswer(
  store: Store,
  userId: string,
  spaceIds: readonly string[],
  limit: number,
  before = Number.MAX_SAFE_INTEGER,
): ThreadToAnswer[] {
  const taken = sql`
    select id from (select id from comment where posted_by = ${userId}
      order by posted_at desc limit ${mostPosts}) as said
    union
    select comment_id from (select comment_id from comment_reply where posted_by = ${userId}
      order by posted_at desc limit ${mostPosts}) as replied
    union
    select id from (select said.id from change_request mine
      cross join comment said
      where mine.created_by = ${userId} and mine.status in ('open', 'draft')
        and said.change_request_id = mine.id limit ${mostPosts}) as asked`

  return store.all(
    sqlRows<ThreadToAnswer>(sql`
      with thread as materialized (
        select comment.seq, request.number, (select max(reply.seq) from comment_reply reply
          where reply.comment_id = comment.id) as last
        from (${taken}) as taken cross join comment
        left join change_request request on request.id = comment.change_request_id
        where comment.id = taken.id and comment.status = 'open' and comment.seq < ${before}
          and comment.space_id in ${among(spaceIds)}
          and (request.id is null or request.status in ('open', 'draft'))
      ), waiting as materialized (
        select thread.*, coalesce(reply.posted_by, comment.posted_by) as last_by
        from thread cross join comment
        left join comment_reply reply on reply.seq = thread.last
        where comment.seq = thread.seq and coalesce(reply.posted_by, comment.posted_by) <> ${userId}
          and (comment.review_id is null or thread.last is not null)
        order by thread.seq desc limit ${limit}
      )
      select comment.seq, comment.id, comment.space_id, comment.page_id, waiting.number,
        waiting.last_by, coalesce(reply.posted_at, comment.posted_at) as last_at,
        substr(coalesce(reply.body, comment.body) ->> 'markdown', 1, ${mostWords}) as words
      from waiting cross join comment
      left join comment_reply reply on reply.seq = waiting.last
      where comment.seq = waiting.seq
      order by comment.seq desc`),
  )
}
