import type { Context } from '../context.ts'
import { Fault, missing } from '../errors.ts'
import { findChangeRequest, updateChangeRequest } from '../store/change-requests.ts'
import type { ChangeRequestRow } from '../store/rows.ts'

export type ChangeRequestEdit = Partial<Pick<ChangeRequestRow, 'subject' | 'description' | 'status'>>

/** Changes what is said of a change request, or its status. Throws 'conflict' for the status of a merged one. */
export const editChangeRequest = (
  ctx: Context,
  row: ChangeRequestRow,
  edit: ChangeRequestEdit,
): Promise<ChangeRequestRow> =>
  // With the lock, so that one that is being merged is merged before it is looked at.
  ctx.locks.run(row.space_id, async () =>
    ctx.store.transact(() => {
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
    }),
  )
