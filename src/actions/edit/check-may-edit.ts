import { checkPrimaryWriter } from '../../access/guards/primary.ts'
import { checkRole } from '../../access/guards/role-now.ts'
import type { Context } from '../../context.ts'
import { Fault, missing } from '../../errors.ts'
import type { Oid } from '../../git/values/oid.ts'
import { findChangeRequest } from '../../store/discussions/change-requests.ts'
import { checkUnused } from '../journal/check-idempotency-key.ts'
import type { EditOrder } from './edit-content.ts'

/** Throws 'unmet' unless the head is one of the revisions that the editor named. */
export function checkMatch({ ifMatch }: Pick<EditOrder<unknown>, 'ifMatch'>, head: Oid): void {
  if (ifMatch === undefined || ifMatch === '*' || ifMatch.includes(head)) return
  throw new Fault(
    'unmet',
    'The content has changed: read it again, or leave "If-Match" out and say "baseRevision" in each change.',
    { revision: head },
  )
}

/**
 * Throws unless the rows as they are now let this person edit this revision: the guard that let the request in may be long
 * ago, and what a key asks for be done meanwhile. To be asked in the transaction that decides.
 */
export function checkMayEdit(
  ctx: Context,
  {
    space,
    changeRequest,
    by,
    idempotency,
  }: Pick<EditOrder<unknown>, 'space' | 'changeRequest' | 'by' | 'idempotency'>,
  head: Oid,
): void {
  if (idempotency) checkUnused(ctx, idempotency)
  const now = checkRole(ctx, space.id, by.id, 'edit')
  if (!changeRequest) {
    checkPrimaryWriter(ctx, now.space, { user: by, role: now.role }, 'edit')
    return
  }
  const row = findChangeRequest(ctx.store, space.id, changeRequest.id)
  if (!row) throw missing('change request', changeRequest.id)
  if (row.status === 'merged')
    throw new Fault('conflict', 'The change request is merged: it cannot be edited any more.')
  if (row.status === 'archived')
    throw new Fault('conflict', 'The change request is archived: open it again before you edit it.')
  if (row.revision !== head)
    throw new Fault('conflict', 'The change request has changed meanwhile. Look at it and try again.')
}
