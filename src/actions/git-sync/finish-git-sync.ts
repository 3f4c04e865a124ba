import type { Way } from '../../access/guards/primary.ts'
import type { Context } from '../../context.ts'
import { findGitSync } from '../../store/git/git-sync.ts'
import { findSpace } from '../../store/spaces/spaces.ts'
import type { GitSyncOperationRow } from '../../store/tables/rows.ts'
import type { Happening } from '../events/record-event.ts'
import type { Effect } from '../journal/effects.ts'
import { checkMaySync } from './check-may-sync.ts'
import type { FileCounts } from './count-files.ts'
import type { SyncRequest } from './queue-git-sync.ts'

/** The last part of a repository's path, without `.git`. */
const nameOf = (url: string): string | null =>
  new URL(url).pathname
    .split('/')
    .filter(Boolean)
    .slice(-2)
    .join('/')
    .replace(/\.git$/, '') || null

/**
 * Returns the row changes with which an operation ends well, at `revision`; `counts` says how it changed the files of the
 * side that it wrote to, and `way` is 'import' for an export that takes in content. For the transaction that writes them
 * down. Throws SyncFailure when the user who started it may not do it any more.
 */
export function finishEffects(
  ctx: Context,
  operation: GitSyncOperationRow,
  { revision, at, counts, way = operation.direction }: Ending,
): Effect[] {
  checkMaySync(ctx, operation, way)
  const time = at.toISOString()
  const { direction } = operation
  const done: Effect = {
    do: 'update-git-sync-operation',
    id: operation.id,
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
  const details = { operationId: operation.id, direction, state: 'success', revision, commitId: revision }
  const told: Effect = { do: 'record-event', event: { ...completed(ctx, operation, time), details } }
  const request = JSON.parse(operation.request) as SyncRequest
  // A revision beside the primary content says nothing of what the space is synchronised with.
  return request.standalone ? [done, told] : [done, told, syncedEffect(ctx, operation, request, time)]
}

type Ending = { revision: string; at: Date; counts: FileCounts | undefined; way?: Way }

/** Returns the row change that says what the space is synchronised with. */
function syncedEffect(
  ctx: Context,
  operation: GitSyncOperationRow,
  request: SyncRequest,
  time: string,
): Effect {
  const before = findGitSync(ctx.store, operation.space_id)
  const last = before?.last_timestamp
  return {
    do: 'put-git-sync',
    row: {
      space_id: operation.space_id,
      repo_name: nameOf(operation.url),
      provider: request.gitInfo?.provider ?? before?.provider ?? null,
      url: request.gitInfo?.url ?? operation.url,
      repo_tree_url: request.repoTreeURL ?? before?.repo_tree_url ?? null,
      repo_commit_url: request.repoCommitURL ?? before?.repo_commit_url ?? null,
      project_directory: request.repoProjectDirectory ?? null,
      ref: operation.ref,
      last_timestamp: last && last > operation.timestamp ? last : operation.timestamp,
      updated_at: time,
    },
  }
}

/** The event of an operation that has ended; whoever started it is gone from the line by then. */
export const completed = (
  ctx: Context,
  { id, space_id: spaceId, created_by: userId }: GitSyncOperationRow,
  at: string,
): Happening => ({
  action: 'git_sync.completed',
  organizationId: findSpace(ctx.store, spaceId)?.organization_id ?? '',
  userId,
  origin: null,
  target: { kind: 'git-sync-operation', id },
  spaceId,
  at,
})
