import { type RawBuilder, sql } from 'kysely'
import { Rows } from '../rows.ts'
import type { Store } from '../store.ts'
import { query, sqlRows } from '../store.ts'
import type { CommenterRow, CommentRow, MemberRow } from '../tables/rows.ts'

const comments = new Rows('comment')

/** The place of comments: a space itself (null), or one of its change requests. */
export type CommentScope = { spaceId: string; changeRequestId: string | null }

/** Inserts a comment. */
export const insertComment = comments.insert

/** Returns the comment with this id in the scope. */
export const findComment = (
  store: Store,
  scope: CommentScope,
  id: string,
): CommentRow | undefined =>
  store.get(
    query
      .selectFrom('comment')
      .selectAll()
      .where('id', '=', id)
      .where('space_id', '=', scope.spaceId)
      .where('change_request_id', 'is not distinct from', scope.changeRequestId),
  )

/** Returns the comments with these ids, by id. */
export const findComments = comments.findAll('id')

/** Updates a comment. Returns the new row. */
export const updateComment = comments.update('id')

/** Deletes a comment with its replies and reactions. Returns the number of deleted rows. */
export const deleteComment = comments.remove('id')

/**
 * Deletes up to `limit` replies in a space and its change requests or, when none are left,
 * comments. Returns the number of deleted rows. For purged spaces: deleting everything at once may
 * take a minute.
 */
export function deleteSomeOfSpace(store: Store, spaceId: string, limit: number): number {
  const some = (table: 'comment_reply' | 'comment') =>
    store.run(
      query
        .deleteFrom(table)
        .where(
          'seq',
          'in',
          query.selectFrom(table).select('seq').where('space_id', '=', spaceId).limit(limit),
        ),
    )
  return some('comment_reply') || some('comment')
}

/**
 * The filter of a list of comments. The page null matches comments on no page. Authors are user
 * ids; empty matches all.
 */
type CommentFilter = {
  status: 'all' | 'open' | 'resolved'
  page?: string | null | undefined
  authors?: readonly string[] | undefined
}

/**
 * Returns up to `limit` comments of a scope after the `seq` of `after` that match a filter, oldest
 * or newest first. Each author and status is read along its own index, so that every page costs the
 * same.
 */
export function listComments(
  store: Store,
  scope: CommentScope,
  filter: CommentFilter,
  { order, limit, after }: { order: 'asc' | 'desc'; limit: number; after?: number | undefined },
): CommentRow[] {
  const way = order === 'asc' ? sql`order by seq` : sql`order by seq desc`
  const from =
    after === undefined
      ? sql``
      : order === 'asc'
        ? sql`and seq > ${after}`
        : sql`and seq < ${after}`
  const ends = sql`${from} ${way} limit ${limit}`
  const lines = linesOf(scope, filter).map(
    where => sql`select seq from (select seq from comment where ${where} ${ends}) as line`,
  )

  return store.all(
    sqlRows<CommentRow>(
      sql`select * from comment where seq in (${sql.join(lines, sql` union all `)}) ${way} limit ${limit}`,
    ),
  )
}

/** Returns the number of comments on a page, or on none, up to `most` of each status. */
export function countOnPage(
  store: Store,
  scope: CommentScope,
  page: string | null,
  most: number,
): number {
  const lines = linesOf(scope, { status: 'all', page }).map(
    where => sql`select seq from (select seq from comment where ${where} limit ${most}) as line`,
  )
  const counted = sqlRows<{ count: number }>(
    sql`select count(*) as count from (${sql.join(lines, sql` union all `)}) as found`,
  )

  return store.get(counted)?.count ?? 0
}

/** Returns the conditions of the partial lists that a list is merged from. They are disjoint. */
function linesOf(
  scope: CommentScope,
  { status, page, authors }: CommentFilter,
): RawBuilder<unknown>[] {
  const within = sql`space_id = ${scope.spaceId} and coalesce(change_request_id, '') = ${scope.changeRequestId ?? ''}`
  const onPage = page === undefined ? sql`` : sql`and page_id is not distinct from ${page}`
  const statuses = status === 'all' ? ['open', 'resolved'] : [status]
  const by = authors ? [...new Set(authors)].map(id => sql`and posted_by = ${id}`) : [sql``]
  return by.flatMap(author =>
    statuses.map(one => sql`${within} ${author} ${onPage} and status = ${one}`),
  )
}

/** Returns the commenters of a change request with their counts, latest first. */
export const listCommenters = (store: Store, changeRequestId: string): CommenterRow[] =>
  store.all(
    query
      .selectFrom('commenter')
      .selectAll()
      .where('change_request_id', '=', changeRequestId)
      .orderBy('updated_at', 'desc')
      .orderBy('user_id'),
  )

/** Returns up to `limit` members of an organization with posts in a scope, by id, after `after`. */
export const listCommentingMembers = (
  store: Store,
  scope: CommentScope,
  organizationId: string,
  limit: number,
  after = '',
): MemberRow[] =>
  store.all(
    query
      .selectFrom('commenter')
      .innerJoin('member', join =>
        join
          .onRef('member.user_id', '=', 'commenter.user_id')
          .on('member.organization_id', '=', organizationId),
      )
      .selectAll('member')
      .where('commenter.change_request_id', '=', scope.changeRequestId ?? '')
      .where('commenter.space_id', '=', scope.spaceId)
      .where('commenter.user_id', '>', after)
      .orderBy('commenter.user_id')
      .limit(limit),
  )

/** The posts to count: those of a user anywhere, or all posts in a space. */
export type Posts = { by: string } | { in: string }

/** Returns the number of comments and replies posted since `time`, and the time of the first. */
export function countPosted(
  store: Store,
  posts: Posts,
  since: string,
): { count: number; first: string | null } {
  const whose = 'by' in posts ? sql`posted_by = ${posts.by}` : sql`space_id = ${posts.in}`
  return store.get(
    sqlRows<{ count: number; first: string | null }>(sql`
      select sum(many) as count, min(first) as first from (
        select count(*) as many, min(posted_at) as first from comment where ${whose} and posted_at > ${since}
        union all
        select count(*), min(posted_at) from comment_reply where ${whose} and posted_at > ${since}) as posts`),
  ) as { count: number; first: string | null }
}
