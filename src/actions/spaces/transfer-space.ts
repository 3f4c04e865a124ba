import type { Context } from '../../context.ts'
import { missing } from '../../errors.ts'
import { queueSearchAfterTransfer } from '../../queue/search.ts'
import { deleteForeignReviewers } from '../../store/discussions/requested-reviewers.ts'
import { deleteForeignPermissions } from '../../store/people/permissions.ts'
import { nextPosition } from '../../store/spaces/siblings.ts'
import { findSpace, updateSpace } from '../../store/spaces/spaces.ts'
import type { SpaceRow } from '../../store/tables/rows.ts'
import type { EventActor } from '../events/audit-event.ts'
import { recordOnSpace } from '../events/record-event.ts'
import { checkNotShown } from '../sites/check-not-shown.ts'

/**
 * Transfers a space to another organization, last at its top level. Removes the permissions of
 * teams and of users who are not members of the new organization, and removes those users as
 * requested reviewers. Throws 'conflict' while a site shows the space.
 */
export const transferSpace = (
  ctx: Context,
  space: SpaceRow,
  organizationId: string,
  by: EventActor & { userId: string },
): SpaceRow =>
  ctx.store.transact(() => {
    const row = findSpace(ctx.store, space.id)
    if (!row || row.deleted_at !== null) throw missing('space', space.id)
    checkNotShown(ctx, 'space', [row.id], by.userId)
    deleteForeignPermissions(ctx.store, { kind: 'space', id: row.id }, organizationId)
    deleteForeignReviewers(ctx.store, row.id, organizationId)
    const now = ctx.now()
    const at = now.toISOString()

    queueSearchAfterTransfer(ctx.store, row.id, now)

    // The event is recorded in both organizations.
    const details = { organization: { from: row.organization_id, to: organizationId } }
    for (const organization_id of [row.organization_id, organizationId])
      recordOnSpace(ctx, { id: row.id, organization_id }, 'space.transferred', by, details, at)

    return updateSpace(ctx.store, row.id, {
      organization_id: organizationId,
      collection_id: null,
      position: nextPosition(ctx.store, organizationId, null),
      updated_at: at,
    }) as SpaceRow
  })
