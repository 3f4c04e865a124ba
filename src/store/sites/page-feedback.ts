import { sql } from 'kysely'
import { greater } from '../dialect.ts'
import { Rows } from '../rows.ts'
import type { Store } from '../store.ts'
import { query, sqlRows } from '../store.ts'
import type { Tables } from '../tables/tables.ts'

/** An answer of a reader, who is a digest, to "Was this page helpful?". */
export type Feedback = Tables['page_feedback_reader'] & { site_id: string }

const putReader = new Rows('page_feedback_reader').put('site_space_id', 'page_id', 'reader')

/** The most digests of former days that one answer deletes: what is left, the next ones delete. */
const mostDeleted = 500

/**
 * Counts an answer, in place of an earlier one of the same reader on the same day. Deletes the
 * digests of readers of other days.
 */
export function recordFeedback(store: Store, feedback: Feedback): void {
  const { site_id, ...answer } = feedback
  store.transact(() => {
    deleteFeedbackReaders(store, answer.day, mostDeleted)
    const before = store.get(
      query
        .selectFrom('page_feedback_reader')
        .selectAll()
        .where('site_space_id', '=', answer.site_space_id)
        .where('page_id', '=', answer.page_id)
        .where('reader', '=', answer.reader)
        .where('day', '=', answer.day),
    )
    if (before) count(store, { ...before, site_id }, -1)
    count(store, feedback, 1)
    putReader(store, answer)
  })
}

function count(store: Store, { reader: _, ...row }: Feedback, by: 1 | -1): void {
  store.run(
    query
      .insertInto('page_feedback')
      .values({ ...row, count: Math.max(0, by) })
      .onConflict(conflict =>
        conflict
          .columns(['site_space_id', 'page_id', 'day', 'revision', 'rating'])
          .doUpdateSet({ count: greater(sql`0`, sql`page_feedback.count + ${by}`) }),
      ),
  )
}

/** Deletes up to `limit` digests of readers who answered before a day. Returns their number. */
export const deleteFeedbackReaders = (store: Store, day: string, limit: number): number =>
  store.run(
    sqlRows(sql`
      delete from page_feedback_reader where (site_space_id, page_id, reader) in (
        select site_space_id, page_id, reader from page_feedback_reader where day < ${day} limit ${limit})`),
  )

/** The days of answers, both included. */
type FeedbackFilter = { siteId: string; from?: string | undefined; to?: string | undefined }

/** The answers on a page. */
export type PageRatings = {
  site_space_id: string
  page_id: string
  yes: number
  partly: number
  no: number
}

const matching = ({ siteId, from, to }: FeedbackFilter) =>
  sql<boolean>`site_id = ${siteId} and count > 0
    ${from === undefined ? sql`` : sql`and day >= ${from}`}
    ${to === undefined ? sql`` : sql`and day <= ${to}`}`

const sumOf = (rating: string) =>
  sql<number>`sum(case when rating = ${rating} then count else 0 end)`

/**
 * Returns the answers on up to `limit` pages of a site, by site space and page, after those of
 * `after`.
 */
export const listPageRatings = (
  store: Store,
  filter: FeedbackFilter,
  limit: number,
  after: readonly [siteSpaceId: string, pageId: string] = ['', ''],
): PageRatings[] =>
  store.all(
    query
      .selectFrom('page_feedback')
      .select(['site_space_id', 'page_id'])
      .select([sumOf('yes').as('yes'), sumOf('partly').as('partly'), sumOf('no').as('no')])
      .where(matching(filter))
      .where(sql<boolean>`(site_space_id, page_id) > (${after[0]}, ${after[1]})`)
      .groupBy(['site_space_id', 'page_id'])
      .orderBy('site_space_id')
      .orderBy('page_id')
      .limit(limit),
  )
