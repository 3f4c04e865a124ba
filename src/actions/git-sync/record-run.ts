import type { Way } from '../../access/guards/primary.ts'
import type { Context } from '../../context.ts'
import type { Oid } from '../../lib/oid.ts'
import { findGitSync, updateGitSyncRun } from '../../store/git/git-sync.ts'
import { note } from '../../store/note.ts'
import { findSpace } from '../../store/spaces/spaces.ts'
import type { GitSyncRunRow } from '../../store/tables/rows.ts'
import type { AuditEvent } from '../events/audit-event.ts'
import type { Effect } from '../journal/effects.ts'
import { checkMaySync } from './check-may-sync.ts'
import type { FileCounts } from './count-files.ts'
import type { Sync, SyncRequest, Tracker } from './sync-run.ts'

/** The least time between two progress writes. */
const everyMs = 250

/** Returns the tracker of a run. */
export function trackRun(ctx: Context, id: string): Tracker {
  let last = 0
  const write = (set: Partial<Omit<GitSyncRunRow, 'id' | 'seq'>>) => {
    updateGitSyncRun(ctx.store, id, { ...set, updated_at: ctx.now().toISOString() })
  }
  return {
    stage: stage => write({ stage, completed_tasks: 0, dispatched_tasks: 0 }),
    progress: (completed, dispatched) => {
      const now = performance.now()
      if (now - last < everyMs && completed < dispatched) return
      last = now
      // An event handler calls it, where an error would end the process.
      note(() => write({ completed_tasks: completed, dispatched_tasks: dispatched }))
    },
  }
}

/** Returns the last two parts of a repository's path, without `.git`. */
const nameOf = (url: string): string | null =>
  new URL(url).pathname
    .split('/')
    .filter(Boolean)
    .slice(-2)
    .join('/')
    .replace(/\.git$/, '') || null

/**
 * Returns the row changes that end a run with success at `revision`. `counts` are the file changes
 * on the receiving side; `way` is 'import' for an export that brings in content. Call in the
 * transaction that writes the intent. Throws SyncFailure if the user who started it may no longer
 * do it.
 */
export function finishEffects(
  { ctx, run, checkLease }: Pick<Sync, 'ctx' | 'run' | 'checkLease'>,
  { revision, at, counts, way = run.direction }: Ending,
): Effect[] {
  checkLease?.()
  checkMaySync(ctx, run, way)
  const time = at.toISOString()
  const { direction } = run
  const done: Effect = {
    do: 'update-git-sync-operation',
    id: run.id,
    set: {
      state: 'success',
      revision,
      sealed: null,
      error: null,
      files_added: counts?.added ?? null,
      files_changed: counts?.changed ?? null,
      files_removed: counts?.removed ?? null,
      updated_at: time,
      completed_at: time,
    },
  }
  const details = { operationId: run.id, direction, state: 'success', revision, commitId: revision }
  const event: Effect = {
    do: 'record-event',
    event: { ...completedEvent(ctx, run, time), details },
  }
  const request = run.request as SyncRequest

  // A standalone run does not change what the space is synchronised with.
  return request.standalone ? [done, event] : [done, event, syncedEffect(ctx, run, request, time)]
}

type Ending = { revision: Oid; at: Date; counts: FileCounts | undefined; way?: Way }

/** Returns the row change that records what the space is synchronised with. */
function syncedEffect(
  ctx: Context,
  run: GitSyncRunRow,
  request: SyncRequest,
  time: string,
): Effect {
  const before = findGitSync(ctx.store, run.space_id)
  const last = before?.last_timestamp
  return {
    do: 'put-git-sync',
    row: {
      space_id: run.space_id,
      repo_name: nameOf(run.url),
      provider: request.gitInfo?.provider ?? before?.provider ?? null,
      url: request.gitInfo?.url ?? run.url,
      repo_tree_url: request.repoTreeURL ?? before?.repo_tree_url ?? null,
      repo_commit_url: request.repoCommitURL ?? before?.repo_commit_url ?? null,
      project_directory: request.repoProjectDirectory ?? null,
      ref: run.ref,
      last_timestamp: last && last > run.timestamp ? last : run.timestamp,
      updated_at: time,
    },
  }
}

/** Returns the event of a run that has ended, without its details. */
export const completedEvent = (
  ctx: Context,
  { id, space_id: spaceId, created_by: userId }: GitSyncRunRow,
  at: string,
): AuditEvent => ({
  action: 'git_sync.completed',
  organizationId: findSpace(ctx.store, spaceId)?.organization_id ?? '',
  userId,
  origin: null,
  target: { kind: 'git-sync-operation', id },
  spaceId,
  at,
})
