import type { Context } from '../context.ts'
import { findGitSync, listPendingGitSyncOperations, updateGitSyncOperation } from '../store/git-sync.ts'
import type { GitSyncOperationRow, SpaceRow } from '../store/rows.ts'
import { findSpace } from '../store/spaces.ts'
import { exportRepository, forgetExport } from './export-repository.ts'
import { importRepository } from './import-repository.ts'
import type { SyncRequest } from './queue-git-sync.ts'
import { spaceRepository } from './space-repository.ts'
import { type SyncFailure, syncFailureOf } from './sync-failure.ts'

/** Trouble of our own is tried again this often before the operation fails. */
const mostAttempts = 3

/**
 * Runs the earliest pending import or export of a space, to its end or until the signal says stop; then it goes on from
 * the start the next time. Throws for trouble of our own, to be tried again.
 */
export async function runGitSync(
  ctx: Context,
  spaceId: string,
  attempt: number,
  signal: AbortSignal,
): Promise<void> {
  const operation = listPendingGitSyncOperations(ctx.store, spaceId)[0]
  if (!operation) return
  const space = findSpace(ctx.store, spaceId)
  if (!space) return
  const hopeless = reasonNotToRun(ctx, space, operation)
  if (hopeless !== undefined) return fail(ctx, operation, { message: hopeless, conflicts: undefined })
  const at = ctx.now().toISOString()
  updateGitSyncOperation(ctx.store, operation.id, {
    state: 'running',
    started_at: operation.started_at ?? at,
    updated_at: at,
  })
  try {
    if (operation.direction === 'import') await importRepository(ctx, space, operation, signal)
    else await exportRepository(ctx, space, operation, signal)
  } catch (error) {
    if (signal.aborted) throw error
    const failure = syncFailureOf(error)
    if (failure) {
      await forgetExport(spaceRepository(ctx, spaceId), operation)
      return fail(ctx, operation, failure)
    }
    ctx.log.error(
      { operation: operation.id, err: String(error), trace: (error as { trace?: string }).trace },
      'git sync',
    )
    if (attempt >= mostAttempts) {
      fail(ctx, operation, {
        message: 'Something went wrong on the server; its log says what. Try again.',
        conflicts: undefined,
      })
    }
    throw error
  }
}

/** Why an operation is not even begun; undefined: it is. Its space, or what was applied, may have changed since it was asked for. */
function reasonNotToRun(
  ctx: Context,
  space: SpaceRow,
  { timestamp, request }: GitSyncOperationRow,
): string | undefined {
  // It must end: after a restore it would stand in the way of what is asked for then.
  if (space.deleted_at !== null)
    return 'The space was deleted before its turn came. Restore it and start again.'
  const last = findGitSync(ctx.store, space.id)?.last_timestamp
  if (!last || timestamp >= last || (JSON.parse(request) as SyncRequest).force) return undefined
  return `It is older than the last operation that was applied (${last}). Start a newer one, or use "force" (--force).`
}

function fail(
  ctx: Context,
  operation: GitSyncOperationRow,
  { message, conflicts }: Pick<SyncFailure, 'message' | 'conflicts'>,
): void {
  const at = ctx.now().toISOString()
  updateGitSyncOperation(ctx.store, operation.id, {
    state: 'failure',
    error: JSON.stringify({ message, ...(conflicts && { conflicts: conflicts.slice(0, 1000) }) }),
    sealed: null,
    updated_at: at,
    completed_at: at,
  })
  ctx.log.info({ space: operation.space_id, operation: operation.id, message }, 'git sync failed')
}
