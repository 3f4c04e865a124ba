import type { z } from 'zod'
import type { SyncRequest } from '../../../actions/git-sync/sync-run.ts'
import { webAddress } from '../../../lib/web-address.ts'
import type { GitSyncRow, GitSyncRunRow } from '../../../store/tables/rows.ts'
import type { GitSyncOperation, GitSyncState } from './schema.ts'

/** Returns the Git sync state of a space. */
export const presentGitSync = (row: GitSyncRow): z.input<typeof GitSyncState> => ({
  installationId: row.space_id,
  installationStatus: 'active',
  ...(row.repo_name !== null && { repoName: row.repo_name }),
  ...((row.provider === 'github' || row.provider === 'gitlab') && {
    installationProvider: row.provider,
  }),
  ...(webAddress(row.url) && { url: webAddress(row.url) }),
  ...(row.updated_at !== null && { updatedAt: row.updated_at }),
})

/** Returns a Git sync operation. `base` is the prefix of `urls.*`. */
export function presentOperation(
  row: GitSyncRunRow,
  base: string,
): z.input<typeof GitSyncOperation> {
  const { standalone } = row.request as SyncRequest
  return {
    object: 'git-sync-operation',
    id: row.id,
    direction: row.direction,
    state: row.state,
    ...(row.stage !== null && { stage: row.stage }),
    completedTasks: row.completed_tasks,
    dispatchedTasks: row.dispatched_tasks,
    ref: row.ref,
    url: row.url,
    timestamp: row.timestamp,
    ...(standalone && { standalone }),
    ...(row.revision !== null && { revision: row.revision }),
    ...(row.files_added !== null && { filesAdded: row.files_added }),
    ...(row.files_changed !== null && { filesChanged: row.files_changed }),
    ...(row.files_removed !== null && { filesRemoved: row.files_removed }),
    ...(row.error && {
      error: row.error.message,
      ...(row.error.conflicts && { conflicts: row.error.conflicts }),
    }),
    createdAt: row.created_at,
    ...(row.started_at !== null && { startedAt: row.started_at }),
    updatedAt: row.updated_at,
    ...(row.completed_at !== null && { completedAt: row.completed_at }),
    urls: { location: `${base}/v1/spaces/${row.space_id}/git/operations/${row.id}` },
  }
}
