import type { Context } from '../context.ts'
import { findGitSync } from '../store/git-sync.ts'
import type { GitSyncOperationRow } from '../store/rows.ts'
import { checkMaySync } from './check-may-sync.ts'
import type { Effect } from './effects.ts'
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
 * The row changes with which an operation ends well, at `revision`. For the transaction that writes them down: throws
 * SyncFailure when whoever started it may not do it any more.
 */
export function finishEffects(
  ctx: Context,
  operation: GitSyncOperationRow,
  revision: string,
  at: Date,
): Effect[] {
  checkMaySync(ctx, operation)
  const time = at.toISOString()
  const request = JSON.parse(operation.request) as SyncRequest
  const before = findGitSync(ctx.store, operation.space_id)
  const done: Effect = {
    do: 'update-git-sync-operation',
    id: operation.id,
    set: { state: 'success', revision, sealed: null, error: null, updated_at: time, completed_at: time },
  }
  // A revision beside the primary content says nothing of what the space is synchronised with.
  if (request.standalone) return [done]
  const last = before?.last_timestamp
  return [
    done,
    {
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
    },
  ]
}
