import type { Oid } from '../../lib/oid.ts'
import { Rows } from '../rows.ts'
import type { Store } from '../store.ts'
import { query } from '../store.ts'
import type { ReviewRow } from '../tables/rows.ts'

const reviews = new Rows('review')

const of = (changeRequestId: string) =>
  query.selectFrom('review').selectAll().where('change_request_id', '=', changeRequestId)

/** Returns a review of a change request. */
export const findReview = reviews.find('change_request_id', 'id')

/**
 * Returns up to `limit` reviews of a change request before the one with this `seq`, newest first;
 * with `outdated`, only those of the revision `head` or only the others.
 */
export function listReviews(
  store: Store,
  changeRequestId: string,
  filter: { head: Oid; outdated?: boolean | undefined },
  limit: number,
  before?: number,
): ReviewRow[] {
  let select = of(changeRequestId)
  if (filter.outdated !== undefined)
    select = select.where('revision', filter.outdated ? '<>' : '=', filter.head)
  if (before !== undefined) select = select.where('seq', '<', before)
  return store.all(select.orderBy('seq', 'desc').limit(limit))
}

/** The latest review of a reviewer of a revision, with the reviewer. */
export type LatestReviewRow = Pick<ReviewRow, 'id' | 'reviewer_id' | 'status'> & {
  display_name: string
  email: string | null
  is_agent: number
  /** 1 if the reviewer wrote some of the content of the change request; else 0 or null. */
  is_writer: number | null
}

/**
 * Returns the latest review by each reviewer of this revision of a change request, in order of
 * creation.
 */
export const listLatestReviews = (
  store: Store,
  changeRequestId: string,
  revision: Oid,
): LatestReviewRow[] =>
  store.all(
    query
      .selectFrom('review')
      .innerJoin('user', 'user.id', 'review.reviewer_id')
      .leftJoin('change_request_contributor as contributor', join =>
        join
          .onRef('contributor.change_request_id', '=', 'review.change_request_id')
          .onRef('contributor.user_id', '=', 'review.reviewer_id'),
      )
      .select([
        'review.id',
        'review.reviewer_id',
        'review.status',
        'user.display_name',
        'user.email',
        'user.is_agent',
        'contributor.wrote as is_writer',
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

/** Inserts a review. */
export const insertReview = reviews.insert
