import { checkPrimaryWriter, type PrimaryRight } from '../../access/guards/primary.ts'
import { checkRole } from '../../access/guards/role-now.ts'
import type { Context } from '../../context.ts'
import { Fault, missing } from '../../errors.ts'
import type { Oid } from '../../lib/oid.ts'
import { findChangeRequest } from '../../store/discussions/change-requests.ts'
import { checkKeyUnused } from '../journal/publication.ts'
import type { EditOrder } from './edit-order.ts'

/** Throws 'unmet' unless `ifMatch` names the head. */
export function checkMatch({ ifMatch }: Pick<EditOrder<unknown>, 'ifMatch'>, head: Oid): void {
  if (ifMatch === undefined || ifMatch === '*' || ifMatch.includes(head)) return
  throw new Fault(
    'precondition_failed',
    'The content has changed. Read it again, or replace "If-Match" by a "baseRevision" in each change.',
    { revision: head },
  )
}

/**
 * Returns the right of an edit of the primary content; undefined for one of a change request.
 * Throws unless the current rows let this user edit this revision: the request may have waited
 * since its guard ran. Call inside the transaction that decides.
 */
export function checkMayEdit(
  ctx: Context,
  {
    space,
    changeRequest,
    by,
    idempotency,
    job,
  }: Pick<EditOrder<unknown>, 'space' | 'changeRequest' | 'by' | 'idempotency' | 'job'>,
  head: Oid,
): PrimaryRight | undefined {
  if (idempotency) checkKeyUnused(ctx, idempotency)
  job?.check()
  const now = checkRole(ctx, space.id, by.id, 'edit')
  if (!changeRequest)
    return checkPrimaryWriter(ctx, now.space, { user: by, role: now.role }, 'edit')

  const row = findChangeRequest(ctx.store, space.id, changeRequest.id)
  if (!row) throw missing('change request', changeRequest.id)
  if (row.status === 'merged')
    throw new Fault('already_merged', 'The change request is merged and can no longer be edited.')
  if (row.status === 'archived')
    throw new Fault(
      'change_request_archived',
      'The change request is archived. Reopen it before you edit it.',
    )
  if (row.revision !== head)
    throw new Fault('stale_revision', 'The change request has changed. Review it and try again.')

  return undefined
}
