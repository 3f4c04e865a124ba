import { sql } from 'kysely'
import type { Store } from '../store.ts'
import { query, sqlRows } from '../store.ts'
import type { RequestedReviewerRow } from '../tables/rows.ts'

const of = (changeRequestId: string) =>
  query.selectFrom('requested_reviewer').selectAll().where('change_request_id', '=', changeRequestId)

/** Who was asked to review a change request, first asked first, `limit` from after the one with this `seq`. */
export const listRequestedReviewers = (
  store: Store,
  changeRequestId: string,
  limit: number,
  after = 0,
): RequestedReviewerRow[] =>
  store.all(of(changeRequestId).where('seq', '>', after).orderBy('seq').limit(limit))

/** Which of these users were asked to review a change request, by user id. */
export const findRequestedReviewers = (
  store: Store,
  changeRequestId: string,
  userIds: readonly string[],
): Map<string, RequestedReviewerRow> =>
  new Map(
    userIds.length === 0
      ? []
      : store.all(of(changeRequestId).where('user_id', 'in', [...userIds])).map(row => [row.user_id, row]),
  )

/** Asks somebody to review; false when they were asked before, and that stays as it is. */
export const insertRequestedReviewer = (store: Store, row: Omit<RequestedReviewerRow, 'seq'>): boolean =>
  store.run(
    query
      .insertInto('requested_reviewer')
      .values(row)
      .onConflict(conflict => conflict.columns(['change_request_id', 'user_id']).doNothing()),
  ) > 0

/** Takes the question back; false when nobody had asked. */
export const deleteRequestedReviewer = (store: Store, changeRequestId: string, userId: string): boolean =>
  store.run(
    query
      .deleteFrom('requested_reviewer')
      .where('change_request_id', '=', changeRequestId)
      .where('user_id', '=', userId),
  ) > 0

/** Takes back that open change requests of a space wait for users who do not belong to this organization; how many times. */
export const deleteForeignReviewers = (store: Store, spaceId: string, organizationId: string): number =>
  store.run(
    sqlRows(sql`
      delete from requested_reviewer where seq in (
        select requested_reviewer.seq from requested_reviewer
        join change_request on change_request.id = requested_reviewer.change_request_id
        where requested_reviewer.space_id = ${spaceId} and change_request.status in ('draft', 'open')
          and requested_reviewer.user_id not in (
            select user_id from member where organization_id = ${organizationId}))`),
  )
