import type { Context } from '../../context.ts'
import { reasonOfJob } from '../../errors.ts'
import type { Repository } from '../../git/process/processes.ts'
import type { JobAttempt } from '../../queue/kinds.ts'
import { findGitSync, listPendingGitSyncRuns, updateGitSyncRun } from '../../store/git/git-sync.ts'
import { listIntentsOf } from '../../store/git/intents.ts'
import { findSpace } from '../../store/spaces/spaces.ts'
import type { GitSyncRunRow, UserRow } from '../../store/tables/rows.ts'
import { recordEvent } from '../events/record-event.ts'
import { lockSpace, openSpace } from '../heads/open-space.ts'
import { isReadOnly, settleLeftovers } from '../journal/settle-intent.ts'
import { spaceRepository } from '../repositories/space-repository.ts'
import { checkMaySync } from './check-may-sync.ts'
import { exportRepository, forgetExport } from './export-repository.ts'
import { importRepository } from './import-repository.ts'
import { completedEvent, trackRun } from './record-run.ts'
import { SyncFailure, syncFailureOf } from './sync-failure.ts'
import type { SyncRequest } from './sync-run.ts'

/** Internal errors are retried this often before the run fails. */
const mostAttempts = 3

/** A run that was started more often without ending most likely crashes the server. */
const mostStarts = 5

/**
 * Runs the earliest pending import or export of a space until it ends or the signal aborts; an
 * aborted run starts over the next time. Throws internal errors, to be retried.
 */
export async function runGitSync(
  ctx: Context,
  spaceId: string,
  { attempt, signal, checkLease }: JobAttempt,
): Promise<void> {
  const run = listPendingGitSyncRuns(ctx.store, spaceId)[0]
  if (!run) return
  const space = findSpace(ctx.store, spaceId)
  if (!space) return
  await openSpace(ctx, spaceId)
  const repo = spaceRepository(ctx, spaceId)
  const at = ctx.now().toISOString()

  updateGitSyncRun(ctx.store, run.id, {
    state: 'running',
    started_at: run.started_at ?? at,
    updated_at: at,
  })

  try {
    if (attempt > mostStarts)
      throw new SyncFailure(
        `The server stopped ${mostStarts} times while this ran, so it was abandoned. Start it again if these were planned restarts.`,
      )

    const request = run.request as SyncRequest
    const by = checkMayRun(ctx, run, request)

    // Do not fetch or push for a read-only space.
    if (listIntentsOf(ctx.store, spaceId).length > 0)
      await lockSpace(ctx, spaceId, () => settleLeftovers(ctx, repo, spaceId))

    const track = trackRun(ctx, run.id)
    const sync = {
      ctx,
      repo,
      space,
      run,
      request,
      by,
      track,
      signal,
      ...(checkLease && { checkLease }),
    }

    await (run.direction === 'import' ? importRepository(sync) : exportRepository(sync))
  } catch (error) {
    if (signal.aborted) throw error
    ctx.store.transact(() => checkLease?.())
    await endWithError(ctx, repo, run, attempt, error)
  }
}

/**
 * Fails a run for an error that the user can act on, or after the last attempt; throws errors to be
 * retried.
 */
async function endWithError(
  ctx: Context,
  repo: Repository,
  run: GitSyncRunRow,
  attempt: number,
  error: unknown,
): Promise<void> {
  const isLast = attempt >= mostAttempts
  // A begun write may still complete when it is settled: do not undo it.
  if (isReadOnly(error) && !isLast) throw error
  const failure = syncFailureOf(error)

  if (failure) {
    if (!isReadOnly(error)) await forgetExport(ctx, repo, run)
    return fail(ctx, run, failure)
  }

  ctx.log.error(
    { run: run.id, err: String(error), trace: (error as { trace?: string }).trace },
    'git sync run failed with an internal error',
  )

  if (isLast) fail(ctx, run, { message: reasonOfJob(error, run.space_id), conflicts: undefined })

  throw error
}

/**
 * Returns the user who started a run. Throws SyncFailure if the space, the user's rights or newer
 * applied runs no longer allow it.
 */
function checkMayRun(ctx: Context, run: GitSyncRunRow, { force }: SyncRequest): UserRow {
  // For a deleted space the run must end: after a restore it would block newer runs.
  const { user: by } = checkMaySync(ctx, run, run.direction)
  const { timestamp } = run
  const last = findGitSync(ctx.store, run.space_id)?.last_timestamp

  if (last && timestamp < last && !force)
    throw new SyncFailure(
      `The "timestamp" of this run (${timestamp}) is older than that of the last one (${last}). Start a run with a newer timestamp, or use "force" (--force).`,
    )

  return by
}

function fail(
  ctx: Context,
  run: GitSyncRunRow,
  { message, conflicts }: Pick<SyncFailure, 'message' | 'conflicts'>,
): void {
  const at = ctx.now().toISOString()
  ctx.store.transact(() => {
    updateGitSyncRun(ctx.store, run.id, {
      state: 'failure',
      error: { message, ...(conflicts && { conflicts: conflicts.slice(0, 1000) }) },
      sealed: null,
      updated_at: at,
      completed_at: at,
    })
    const { id: operationId, direction } = run
    recordEvent(ctx.store, {
      ...completedEvent(ctx, run, at),
      details: { operationId, direction, state: 'failure' },
    })
  })
  ctx.log.info({ space: run.space_id, run: run.id, message }, 'git sync run failed')
}
