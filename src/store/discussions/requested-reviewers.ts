import { sql } from 'kysely'
import { Rows } from '../rows.ts'
import type { Store } from '../store.ts'
import { query, sqlRows } from '../store.ts'

const requestedReviewers = new Rows('requested_reviewer')

/**
 * Returns up to `limit` requested reviewers of a change request after the one with this `seq`, by
 * request.
 */
export const listRequestedReviewers = requestedReviewers.page('asc', 'change_request_id')

/** Returns which of these users are requested reviewers of a change request, by user id. */
export const findRequestedReviewers = requestedReviewers.findAll('user_id', 'change_request_id')

/** Requests a review. Returns false without changes for a user who was requested before. */
export const insertRequestedReviewer = requestedReviewers.insertNew

/** Withdraws a request for a review. Returns false if there was none. */
export const deleteRequestedReviewer = (
  store: Store,
  changeRequestId: string,
  userId: string,
): boolean =>
  store.run(
    query
      .deleteFrom('requested_reviewer')
      .where('change_request_id', '=', changeRequestId)
      .where('user_id', '=', userId),
  ) > 0

/**
 * Withdraws the requests of open change requests of a space from users who are not members of this
 * organization. Returns their number.
 */
export const deleteForeignReviewers = (
  store: Store,
  spaceId: string,
  organizationId: string,
): number =>
  store.run(
    sqlRows(sql`
      delete from requested_reviewer where seq in (
        select requested_reviewer.seq from requested_reviewer
        join change_request on change_request.id = requested_reviewer.change_request_id
        where requested_reviewer.space_id = ${spaceId} and change_request.status in ('draft', 'open')
          and requested_reviewer.user_id not in (
            select user_id from member where organization_id = ${organizationId}))`),
  )
