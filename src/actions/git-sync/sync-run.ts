import type { Context } from '../../context.ts'
import type { Repository } from '../../git/process/processes.ts'
import type { JobAttempt } from '../../queue/kinds.ts'
import type { GitSyncRunRow, SpaceRow, UserRow } from '../../store/tables/rows.ts'

/** The options of an import or export, without the URL, which may contain credentials. */
export type SyncRequest = {
  repoCacheID?: string | undefined
  repoTreeURL?: string | undefined
  repoCommitURL?: string | undefined
  repoProjectDirectory?: string | undefined
  force?: boolean | undefined
  replace?: boolean | undefined
  standalone?: boolean | undefined
  commitMessage?: string | undefined
  gitInfo?: { provider?: string | undefined; url?: string | undefined } | undefined
}

/** Reports the progress of a run in its row. */
export type Tracker = {
  stage: (stage: NonNullable<GitSyncRunRow['stage']>) => void
  progress: (completed: number, dispatched: number) => void
}

/** An import or export under way. */
export type Sync = {
  ctx: Context
  repo: Repository
  space: SpaceRow
  run: GitSyncRunRow
  request: SyncRequest
  by: UserRow
  track: Tracker
} & Pick<JobAttempt, 'signal' | 'checkLease'>
