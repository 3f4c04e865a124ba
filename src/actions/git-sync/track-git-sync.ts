import type { Context } from '../../context.ts'
import { updateGitSyncOperation } from '../../store/git/git-sync.ts'
import type { GitSyncOperationRow } from '../../store/tables/rows.ts'

type Stage = NonNullable<GitSyncOperationRow['stage']>

/** Progress is written at most this often: a row is for people to look at. */
const everyMs = 250

/** Tells how far an operation is, in its row. */
export type Tracker = {
  stage: (stage: Stage) => void
  progress: (completed: number, dispatched: number) => void
}

/** The tracker of one operation. */
export function trackGitSync(ctx: Context, id: string): Tracker {
  let last = 0
  const write = (set: Partial<Omit<GitSyncOperationRow, 'id' | 'seq'>>) => {
    updateGitSyncOperation(ctx.store, id, { ...set, updated_at: ctx.now().toISOString() })
  }
  return {
    stage: stage => write({ stage, completed_tasks: 0, dispatched_tasks: 0 }),
    progress: (completed, dispatched) => {
      const now = performance.now()
      if (now - last < everyMs && completed < dispatched) return
      last = now
      write({ completed_tasks: completed, dispatched_tasks: dispatched })
    },
  }
}
