import type { Origin } from '../../access/asker.ts'
import type { Context } from '../../context.ts'
import { Fault, missing } from '../../errors.ts'
import { randomId } from '../../lib/digest.ts'
import { findChangeRequest } from '../../store/discussions/change-requests.ts'
import { insertComment } from '../../store/discussions/comments.ts'
import { findRequestedReviewers } from '../../store/discussions/requested-reviewers.ts'
import { insertReview } from '../../store/discussions/reviews.ts'
import type {
  ChangeRequestRow,
  CommentRow,
  ReviewRow,
  SpaceRow,
  UserRow,
} from '../../store/tables/rows.ts'
import type { AuditEvent } from '../events/audit-event.ts'
import { recordEvent } from '../events/record-event.ts'
import { checkIsReviewable } from './request-reviewers.ts'

type ReviewOrder = {
  space: SpaceRow
  /** As read from Git: its revision is the one reviewed. */
  changeRequest: ChangeRequestRow
  by: UserRow
  status: ReviewRow['status']
  /** The body of a comment. */
  comment?: CommentRow['body'] | undefined
  origin: Origin
}

/**
 * Adds a review of a change request, with its comment. Call inside a transaction. Throws
 * 'forbidden' for an approval by the author, 'conflict' if it has changed, or is merged or
 * archived.
 */
export function submitReview(
  ctx: Context,
  order: ReviewOrder,
): { review: ReviewRow; comment?: CommentRow } {
  const { space, by, status, origin } = order
  const row = findChangeRequest(ctx.store, space.id, order.changeRequest.id)
  if (!row) throw missing('change request', order.changeRequest.id)
  checkIsReviewable(row)
  if (status === 'approved' && row.created_by === by.id)
    throw new Fault('own_change_request', 'You cannot approve your own change request.')
  if (row.revision !== order.changeRequest.revision) throw hasChanged(row.revision)

  const at = ctx.now().toISOString()
  const id = randomId()
  const scope = { space_id: space.id, change_request_id: row.id, revision: row.revision }
  const comment =
    order.comment === undefined
      ? undefined
      : insertComment(ctx.store, {
          ...scope,
          id: randomId(),
          review_id: id,
          body: order.comment,
          posted_by: by.id,
          posted_at: at,
        })

  const review = insertReview(ctx.store, {
    ...scope,
    id,
    reviewer_id: by.id,
    requested_by:
      findRequestedReviewers(ctx.store, row.id, [by.id]).get(by.id)?.requested_by ?? null,
    status,
    comment_id: comment?.id ?? null,
    created_at: at,
    updated_at: at,
  })

  const event = (
    action: AuditEvent['action'],
    target: AuditEvent['target'],
    details: AuditEvent['details'],
  ) =>
    recordEvent(ctx.store, {
      action,
      organizationId: space.organization_id,
      userId: by.id,
      origin,
      target,
      spaceId: space.id,
      details: { changeRequest: row.id, number: row.number, ...details },
      at,
    })

  event('review.submitted', { kind: 'review', id }, { status, revision: row.revision })
  if (comment) event('comment.created', { kind: 'comment', id: comment.id }, { review: id })

  return { review, ...(comment && { comment }) }
}

/** Returns the fault of a review of a revision that is no longer the head. */
export const hasChanged = (revision: string): Fault =>
  new Fault('stale_revision', 'The change request has changed. Review its current revision.', {
    revision,
  })
