import type { Context } from '../context.ts'
import { Fault, missing } from '../errors.ts'
import { findChangeRequest, updateChangeRequest } from '../store/change-requests.ts'
import type { ChangeRequestRow, UserRow } from '../store/rows.ts'
import { checkRole } from './check-role.ts'
import { settleLeftovers } from './settle-operation.ts'
import { spaceRepository } from './space-repository.ts'

export type ChangeRequestEdit = Partial<Pick<ChangeRequestRow, 'subject' | 'description' | 'status'>>

/**
 * Changes what is said of a change request, or its status. Throws 'conflict' for the status of a merged one, 'unavailable'
 * while its space is read-only.
 */
export const editChangeRequest = (
  ctx: Context,
  row: ChangeRequestRow,
  by: UserRow,
  edit: ChangeRequestEdit,
): Promise<ChangeRequestRow> =>
  // With the lock, so that one that is being merged is merged before it is looked at.
  ctx.locks.run(row.space_id, async () => {
    await settleLeftovers(ctx, spaceRepository(ctx, row.space_id), row.space_id)
    return ctx.store.transact(() => {
      checkRole(ctx, row.space_id, by.id, 'edit')
      const current = findChangeRequest(ctx.store, row.space_id, row.id)
      if (!current) throw missing('change request', row.id)
      if (edit.status !== undefined && current.status === 'merged')
        throw new Fault('conflict', 'The change request is merged: its status stays as it is.')
      const set = Object.fromEntries(
        Object.entries(edit).filter(([name, value]) => current[name as keyof ChangeRequestEdit] !== value),
      )
      if (Object.keys(set).length === 0) return current
      return (
        updateChangeRequest(ctx.store, row.id, { ...set, updated_at: ctx.now().toISOString() }) ?? current
      )
    })
  })
