import type { Origin } from '../../access/asker.ts'
import { roleOnSpace } from '../../access/space-role.ts'
import type { Context } from '../../context.ts'
import { Fault, invalid, missing } from '../../errors.ts'
import { mustGet } from '../../lib/must-get.ts'
import { findChangeRequest } from '../../store/discussions/change-requests.ts'
import {
  findRequestedReviewers,
  insertRequestedReviewer,
} from '../../store/discussions/requested-reviewers.ts'
import type {
  ChangeRequestRow,
  RequestedReviewerRow,
  SpaceRow,
  UserRow,
} from '../../store/tables/rows.ts'
import { recordEvent } from '../events/record-event.ts'
import { applyEdit } from './edit-change-request.ts'

type ReviewersOrder = {
  /** The current row: roles depend on the organization that the space belongs to now. */
  space: SpaceRow
  changeRequest: ChangeRequestRow
  by: UserRow
  /** User ids. */
  users: readonly string[]
  subject?: string | undefined
  /** A document; null removes the description. */
  description?: object | null | undefined
  origin: Origin
}

/**
 * Requests reviews of a change request from users and edits its subject and description; a draft
 * becomes open. Returns the requests in the order of `users`; an earlier request to the same user
 * stays. Call inside a transaction. Throws 'invalid' for the author and for users who cannot read
 * the space, 'conflict' for a change request that is merged or archived.
 */
export function requestReviewers(ctx: Context, order: ReviewersOrder): RequestedReviewerRow[] {
  const { space, by, origin } = order
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
  const actor = { userId: by.id, origin }

  if (asked.length > 0)
    recordEvent(ctx.store, {
      action: 'reviewer.requested',
      organizationId: space.organization_id,
      ...actor,
      target: { kind: 'change-request', id: row.id },
      spaceId: space.id,
      details: { number: row.number, users: asked },
      at,
    })

  const edit = {
    ...(order.subject !== undefined && { subject: order.subject }),
    ...(order.description !== undefined && { description: order.description }),
    ...(row.status === 'draft' && { status: 'open' as const }),
  }

  applyEdit(ctx, row, edit, actor)
  const found = findRequestedReviewers(ctx.store, row.id, users)

  return users.map(id => mustGet(found, id))
}

/** Throws 'conflict' if it can no longer be reviewed. */
export function checkIsReviewable(row: ChangeRequestRow): void {
  if (row.status === 'merged')
    throw new Fault('already_merged', 'The change request is merged and can no longer be reviewed.')
  if (row.status === 'archived')
    throw new Fault(
      'change_request_archived',
      'The change request is archived. Reopen it to have it reviewed.',
    )
}

function checkReviewers(
  ctx: Context,
  space: SpaceRow,
  row: ChangeRequestRow,
  users: readonly string[],
): void {
  if (users.includes(row.created_by))
    throw invalid(
      `"users" in the body: "${row.created_by}" is the author of the change request and cannot review it.`,
    )

  const strangers = users.filter(id => roleOnSpace(ctx, space, id) === null)
  if (strangers.length > 0) {
    const named = strangers.map(id => `"${id}"`).join(', ')
    throw new Fault(
      'not_a_member',
      `"users" in the body: ${named} cannot read the space. Give them access to it first.`,
      {
        users: strangers,
      },
    )
  }
}
