import type { Store } from '../store.ts'
import { query } from '../store.ts'
import type { ReviewRow } from '../tables/rows.ts'

const of = (changeRequestId: string) =>
  query.selectFrom('review').selectAll().where('change_request_id', '=', changeRequestId)

/** A review of a change request. */
export const findReview = (store: Store, changeRequestId: string, id: string): ReviewRow | undefined =>
  store.get(of(changeRequestId).where('id', '=', id))

/**
 * The reviews of a change request, newest first, `limit` from before the one with this `seq`; those of the revision
 * `head` alone, or all others, where `outdated` says so.
 */
export const listReviews = (
  store: Store,
  changeRequestId: string,
  filter: { head: string; outdated?: boolean | undefined },
  limit: number,
  before?: number,
): ReviewRow[] => {
  let select = of(changeRequestId)
  if (filter.outdated !== undefined)
    select = select.where('revision', filter.outdated ? '<>' : '=', filter.head)
  if (before !== undefined) select = select.where('seq', '<', before)
  return store.all(select.orderBy('seq', 'desc').limit(limit))
}

/** What somebody said last of a revision, and who they are. */
export type LatestReviewRow = Pick<ReviewRow, 'id' | 'reviewer_id' | 'status'> & {
  display_name: string
  email: string | null
  is_agent: number
}

/** The latest review that each reviewer made of this revision of a change request, in the order in which they were made. */
export const listLatestReviews = (
  store: Store,
  changeRequestId: string,
  revision: string,
): LatestReviewRow[] =>
  store.all(
    query
      .selectFrom('review')
      .innerJoin('user', 'user.id', 'review.reviewer_id')
      .select([
        'review.id',
        'review.reviewer_id',
        'review.status',
        'user.display_name',
        'user.email',
        'user.is_agent',
      ])
      .where('review.seq', 'in', ({ selectFrom }) =>
        selectFrom('review')
          .select(({ fn }) => fn.max('seq').as('seq'))
          .where('change_request_id', '=', changeRequestId)
          .where('revision', '=', revision)
          .groupBy('reviewer_id'),
      )
      .orderBy('review.seq'),
  )

/** Adds a review. */
export const insertReview = (store: Store, row: Omit<ReviewRow, 'seq'>): ReviewRow =>
  store.get(query.insertInto('review').values(row).returningAll()) as ReviewRow
