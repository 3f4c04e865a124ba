import type { Context } from '../../context.ts'
import { Fault } from '../../errors.ts'
import { changeWaitingImportRun, findImportRun } from '../../store/spaces/import-runs.ts'
import type { ImportRunRow } from '../../store/tables/rows.ts'

/**
 * Cancels an import that has not ended: a job that runs stops before it writes. Call it in the
 * transaction of a write. Throws 'conflict' for a run that is completed or failed.
 */
export function cancelImport(ctx: Context, { id }: Pick<ImportRunRow, 'id'>): ImportRunRow {
  const time = ctx.now().toISOString()
  const set = { status: 'cancelled', updated_at: time, completed_at: time } as const
  const isChanged = changeWaitingImportRun(ctx.store, id, set) > 0
  const run = findImportRun(ctx.store, id)!
  if (!isChanged && run.status !== 'cancelled')
    throw new Fault('import_ended', `The import is ${run.status} and cannot be cancelled.`)
  return run
}
