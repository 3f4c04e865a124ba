import type { Context } from '../../context.ts'
import {
  findGitSync,
  listPendingGitSyncOperations,
  updateGitSyncOperation,
} from '../../store/git/git-sync.ts'
import { listOperationsOf } from '../../store/git/operations.ts'
import { findSpace } from '../../store/spaces/spaces.ts'
import type { GitSyncOperationRow, UserRow } from '../../store/tables/rows.ts'
import { recordEvent } from '../events/record-event.ts'
import { isReadOnly, settleLeftovers } from '../journal/settle-operation.ts'
import { spaceRepository } from '../repositories/space-repository.ts'
import { checkMaySync } from './check-may-sync.ts'
import { exportRepository, forgetExport } from './export-repository.ts'
import { completed } from './finish-git-sync.ts'
import { importRepository } from './import-repository.ts'
import type { SyncRequest } from './queue-git-sync.ts'
import { SyncFailure, syncFailureOf } from './sync-failure.ts'
import { trackGitSync } from './track-git-sync.ts'

/** Trouble of our own is tried again this often before the operation fails. */
const mostAttempts = 3

/** An operation that was begun more often than this, and never came to an end, most likely ends the server itself. */
const mostStarts = 5

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
  const repo = spaceRepository(ctx, spaceId)
  const at = ctx.now().toISOString()
  updateGitSyncOperation(ctx.store, operation.id, {
    state: 'running',
    started_at: operation.started_at ?? at,
    updated_at: at,
  })
  try {
    if (attempt > mostStarts)
      throw new SyncFailure(
        `The server ended ${mostStarts} times while this ran: it was given up. Start it again if these were restarts.`,
      )
    const request = JSON.parse(operation.request) as SyncRequest
    const by = checkMayRun(ctx, operation, request)
    // Nothing is fetched or pushed for a space that nothing can be written to.
    if (listOperationsOf(ctx.store, spaceId).length > 0)
      await ctx.locks.run(spaceId, () => settleLeftovers(ctx, repo, spaceId))
    const track = trackGitSync(ctx, operation.id)
    const sync = { ctx, repo, space, operation, request, by, track, signal }
    await (operation.direction === 'import' ? importRepository(sync) : exportRepository(sync))
  } catch (error) {
    if (signal.aborted) throw error
    // What was begun may still end well, when it is settled: it is not undone.
    if (isReadOnly(error) && attempt < mostAttempts) throw error
    const failure = syncFailureOf(error)
    if (failure) {
      if (!isReadOnly(error)) await forgetExport(repo, operation)
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

/** Whoever started an operation, if it can still be begun: its space, rights or what was applied may have changed meanwhile. Throws SyncFailure. */
function checkMayRun(ctx: Context, operation: GitSyncOperationRow, { force }: SyncRequest): UserRow {
  // Where the space was deleted it must end: after a restore it would stand in the way of what is asked for then.
  const by = checkMaySync(ctx, operation, operation.direction)
  const { timestamp } = operation
  const last = findGitSync(ctx.store, operation.space_id)?.last_timestamp
  if (last && timestamp < last && !force)
    throw new SyncFailure(
      `It is older than the last operation that was applied (${last}). Start a newer one, or use "force" (--force).`,
    )
  return by
}

function fail(
  ctx: Context,
  operation: GitSyncOperationRow,
  { message, conflicts }: Pick<SyncFailure, 'message' | 'conflicts'>,
): void {
  const at = ctx.now().toISOString()
  ctx.store.transact(() => {
    updateGitSyncOperation(ctx.store, operation.id, {
      state: 'failure',
      error: JSON.stringify({ message, ...(conflicts && { conflicts: conflicts.slice(0, 1000) }) }),
      sealed: null,
      updated_at: at,
      completed_at: at,
    })
    const { id: operationId, direction } = operation
    recordEvent(ctx.store, {
      ...completed(ctx, operation, at),
      details: { operationId, direction, state: 'failure' },
    })
  })
  ctx.log.info({ space: operation.space_id, operation: operation.id, message }, 'git sync failed')
}
