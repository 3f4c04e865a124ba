import type { Origin } from '../../access/asker.ts'
import type { Context } from '../../context.ts'
import { deleteRequestedReviewer } from '../../store/discussions/requested-reviewers.ts'
import type { ChangeRequestRow, SpaceRow, UserRow } from '../../store/tables/rows.ts'
import { recordEvent } from '../events/record-event.ts'

type RemovedReviewer = {
  space: SpaceRow
  changeRequest: ChangeRequestRow
  by: UserRow
  userId: string
  origin: Origin
}

/** Withdraws a review request; does nothing if there is none. Call inside a transaction. */
export function removeRequestedReviewer(
  ctx: Context,
  { space, changeRequest, by, userId, origin }: RemovedReviewer,
): void {
  if (!deleteRequestedReviewer(ctx.store, changeRequest.id, userId)) return
  recordEvent(ctx.store, {
    action: 'reviewer.removed',
    organizationId: space.organization_id,
    userId: by.id,
    origin,
    target: { kind: 'change-request', id: changeRequest.id },
    spaceId: space.id,
    details: { number: changeRequest.number, users: [userId] },
    at: ctx.now().toISOString(),
  })
}
