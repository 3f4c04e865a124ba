import { type RawBuilder, sql } from 'kysely'
import type { Store } from '../store.ts'
import { sqlRows } from '../store.ts'

/** A stored count that differs from the number of rows. */
export type Miscount = {
  /**
   * The kind of the count: open comments of a space or change request, replies of a comment, or
   * posts of a user.
   */
  of: 'space' | 'change_request' | 'comment' | 'commenter'
  spaceId: string
  /**
   * The id of the space, change request or comment; for a commenter, of the change request ('' for
   * the space itself).
   */
  id: string
  /** The user of a commenter; '' otherwise. */
  userId: string
  held: number
  counted: number
}

/** The number of rows that one synchronous step counts. */
const batch = 500

type Kind = Miscount['of']

/**
 * Selects all counts of one kind beside the number of rows, with a `place` to continue after. An
 * expression in place of a column has no affinity, so that SQLite uses the index on `coalesce(…)`.
 */
const kept: Record<Kind, RawBuilder<unknown>> = {
  space: sql`
    select seq as place, id as "spaceId", id, '' as "userId", open_comments as held, (
      select count(*) from comment where comment.space_id = space.id
        and coalesce(comment.change_request_id, '') = '' and comment.status = 'open') as counted
    from space`,
  change_request: sql`
    select seq as place, space_id as "spaceId", id, '' as "userId", open_comments as held, (
      select count(*) from comment where comment.space_id = change_request.space_id
        and coalesce(comment.change_request_id, '') = coalesce(change_request.id, '') and comment.status = 'open') as counted
    from change_request`,
  comment: sql`
    select seq as place, space_id as "spaceId", id, '' as "userId", replies as held, (
      select count(*) from comment_reply where comment_reply.comment_id = comment.id) as counted
    from comment`,
  commenter: sql`
    select seq as place, space_id as "spaceId", change_request_id as id, user_id as "userId", count as held, (
      select count(*) from comment where comment.space_id = commenter.space_id
        and coalesce(comment.change_request_id, '') = coalesce(commenter.change_request_id, '')
        and comment.posted_by = commenter.user_id
    ) + (
      select count(*) from comment_reply where comment_reply.space_id = commenter.space_id
        and coalesce(comment_reply.change_request_id, '') = coalesce(commenter.change_request_id, '')
        and comment_reply.posted_by = commenter.user_id
    ) as counted
    from commenter`,
}

/**
 * Yields the wrong counts in batches. Reading a batch is synchronous; the caller may yield to the
 * event loop between batches.
 */
export function* findMiscounts(store: Store): Generator<Miscount[], void> {
  for (const of of ['space', 'change_request', 'comment', 'commenter'] as const) {
    for (let after = 0; ; ) {
      const rows = store.all(
        sqlRows<Miscount & { place: number }>(
          sql`${kept[of]} where seq > ${after} order by seq limit ${batch}`,
        ),
      )

      yield rows
        .filter(row => row.held !== row.counted)
        .map(({ place: _, ...row }) => ({ ...row, of }))
      const last = rows.at(-1)
      if (!last || rows.length < batch) break
      after = last.place
    }
  }
  yield findForgotten(store)
}

/**
 * Selects users with posts in places where no count exists for them. Runs only if the sums differ.
 */
function findForgotten(store: Store): Miscount[] {
  const sums = store.get(
    sqlRows<{ held: number; counted: number }>(sql`
      select (select coalesce(sum(count), 0) from commenter) as held,
        (select count(*) from comment) + (select count(*) from comment_reply) as counted`),
  )
  if (!sums || sums.held === sums.counted) return []
  return store
    .all(
      sqlRows<Omit<Miscount, 'of' | 'held'>>(sql`
        select posted.space_id as "spaceId", posted.id, posted.posted_by as "userId", count(*) as counted from (
          select space_id, coalesce(change_request_id, '') as id, posted_by from comment
          union all select space_id, coalesce(change_request_id, '') as id, posted_by from comment_reply
        ) as posted
        where not exists (select 1 from commenter where commenter.change_request_id = posted.id
          and commenter.space_id = posted.space_id and commenter.user_id = posted.posted_by)
        group by 1, 2, 3`),
    )
    .map(row => ({ ...row, of: 'commenter', held: 0 }))
}

/** Corrects a wrong count. */
export const mendMiscount = (store: Store, { of, spaceId, id, userId }: Miscount): void =>
  store.transact(() => {
    if (of === 'commenter') {
      store.run(
        sqlRows(sql`delete from commenter where change_request_id = ${id} and space_id = ${spaceId}
          and user_id = ${userId}`),
      )

      store.run(
        sqlRows(sql`
          insert into commenter (change_request_id, space_id, user_id, count, updated_at)
          select ${id}, ${spaceId}, ${userId}, count(*), max(posted_at) from (
            select posted_at from comment where space_id = ${spaceId}
              and coalesce(change_request_id, '') = ${id} and posted_by = ${userId}
            union all select posted_at from comment_reply where space_id = ${spaceId}
              and coalesce(change_request_id, '') = ${id} and posted_by = ${userId}
          ) as posted having count(*) > 0`),
      )

      return
    }

    const column = sql.ref(of === 'comment' ? 'replies' : 'open_comments')
    store.run(
      sqlRows(sql`
        update ${sql.table(of)} set ${column} = (
          select counted from (${kept[of]} where ${sql.ref(`${of}.id`)} = ${id}) as kept)
        where id = ${id}`),
    )
  })
