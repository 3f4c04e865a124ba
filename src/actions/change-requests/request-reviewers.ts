import type { Origin } from '../../access/asker.ts'
import { checkRole } from '../../access/guards/role-now.ts'
import { roleOnSpace } from '../../access/guards/space.ts'
import type { Context } from '../../context.ts'
import { Fault, invalid, missing } from '../../errors.ts'
import { findChangeRequest } from '../../store/discussions/change-requests.ts'
import {
  findRequestedReviewers,
  insertRequestedReviewer,
} from '../../store/discussions/requested-reviewers.ts'
import type { ChangeRequestRow, RequestedReviewerRow, SpaceRow, UserRow } from '../../store/tables/rows.ts'
import { recordEvent } from '../events/record-event.ts'
import { applyEdit } from './edit-change-request.ts'

export type ReviewersOrder = {
  space: SpaceRow
  changeRequest: ChangeRequestRow
  by: UserRow
  /** The ids of those who are asked. */
  users: readonly string[]
  subject?: string | undefined
  /** A document as JSON. */
  description?: string | undefined
  origin: Origin
}

/**
 * Asks users to review a change request, and changes what is said of it; a draft is open then. Gives the question to each
 * of them in the order named: who was asked before keeps the first one. To be called in a transaction. Throws 'invalid'
 * for users who cannot read the space and for its author, 'conflict' for one that is merged or archived.
 */
export function requestReviewers(ctx: Context, order: ReviewersOrder): RequestedReviewerRow[] {
  const { by, origin } = order
  // As it is now: roles in it are those of the organization that it belongs to.
  const { space } = checkRole(ctx, order.space.id, by.id, 'edit')
  const row = findChangeRequest(ctx.store, space.id, order.changeRequest.id)
  if (!row) throw missing('change request', order.changeRequest.id)
  checkIsReviewable(row)
  const users = [...new Set(order.users)]
  checkReviewers(ctx, space, row, users)
  const at = ctx.now().toISOString()
  const asked = users.filter(id =>
    insertRequestedReviewer(ctx.store, {
      space_id: space.id,
      change_request_id: row.id,
      user_id: id,
      requested_by: by.id,
      revision: row.revision,
      created_at: at,
    }),
  )
  const doer = { userId: by.id, origin }
  if (asked.length > 0)
    recordEvent(ctx.store, {
      action: 'reviewer.requested',
      organizationId: space.organization_id,
      ...doer,
      target: { kind: 'change-request', id: row.id },
      spaceId: space.id,
      details: { number: row.number, users: asked },
      at,
    })
  const said = {
    ...(order.subject !== undefined && { subject: order.subject }),
    ...(order.description !== undefined && { description: order.description }),
    ...(row.status === 'draft' && { status: 'open' as const }),
  }
  applyEdit(ctx, row, said, doer)
  const found = findRequestedReviewers(ctx.store, row.id, users)
  return users.map(id => found.get(id)!)
}

/** Throws 'conflict' when nobody can review it any more. */
export function checkIsReviewable(row: ChangeRequestRow): void {
  if (row.status === 'merged')
    throw new Fault('conflict', 'The change request is merged: there is nothing to review any more.')
  if (row.status === 'archived')
    throw new Fault('conflict', 'The change request is archived: open it again to have it reviewed.')
}

function checkReviewers(
  ctx: Context,
  space: SpaceRow,
  row: ChangeRequestRow,
  users: readonly string[],
): void {
  if (users.includes(row.created_by))
    throw invalid(
      `"users" in the body: "${row.created_by}" made the change request, and somebody else is to review it.`,
    )
  const strangers = users.filter(id => roleOnSpace(ctx, space, id) === null)
  if (strangers.length > 0) {
    const named = strangers.map(id => `"${id}"`).join(', ')
    throw invalid(`"users" in the body: ${named} cannot read the space. Give them a role in it first.`, {
      users: strangers,
    })
  }
}
