import type { RequestFacts } from '../../access/asker.ts'
import type { Context } from '../../context.ts'
import { Fault, forbidden, invalid } from '../../errors.ts'
import type { Repository } from '../../git/process/processes.ts'
import { checkRefName } from '../../git/refs/refs.ts'
import { parseRemoteUrl } from '../../git/remotes/remote-url.ts'
import { resolveRemote } from '../../git/remotes/remotes.ts'
import { GitError } from '../../git/values/errors.ts'
import { randomId } from '../../lib/digest.ts'
import { webAddress } from '../../lib/web-address.ts'
import { enqueue } from '../../queue/enqueue.ts'
import type { JobOrder } from '../../queue/kinds.ts'
import { keepAnswer } from '../../store/events/idempotency.ts'
import {
  countPendingGitSyncOperations,
  countPendingGitSyncOperationsBy,
  findGitSync,
  insertGitSyncOperation,
  listPendingGitSyncOperations,
  type NewGitSyncOperation,
} from '../../store/git/git-sync.ts'
import { findLatestRevisions } from '../../store/spaces/spaces.ts'
import type { GitSyncOperationRow, SpaceRow, UserRow } from '../../store/tables/rows.ts'
import { type Doer, type Happening, recordEvent } from '../events/record-event.ts'
import { remoteLookup } from '../outgoing-route.ts'
import { changeRequestNumberOf } from '../repositories/ref-names.ts'
import { projectDirectory } from './project-directory.ts'
import { syncFailureOf } from './sync-failure.ts'
import type { Tracker } from './track-git-sync.ts'

/** What an import or export was asked to do, but for the URL, which may hold credentials. */
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

/** An import or export that runs. */
export type Sync = {
  ctx: Context
  repo: Repository
  space: SpaceRow
  operation: GitSyncOperationRow
  request: SyncRequest
  by: UserRow
  track: Tracker
  signal: AbortSignal
}

export type SyncOrder = SyncRequest & {
  direction: 'import' | 'export'
  url: string
  ref: string
  timestamp?: string | undefined
}

/** Imports and exports of a space that may wait at once. */
const mostPending = 20
/** Imports and exports of a user that may wait at once, in all spaces together. */
const mostPendingOfUser = 60

/**
 * Writes down a Git import or export to be run. What can be known to be wrong is refused at once: a URL or a branch that
 * is none, a host that this server does not talk to, a timestamp older than what was applied. Gives the address of the
 * operation; the answer for an Idempotency-Key is kept with it, so that no crash lets it be started twice.
 */
export async function queueGitSync(
  ctx: Context,
  space: SpaceRow,
  by: UserRow,
  { direction, url, ref, timestamp, ...request }: SyncOrder,
  { idempotency, origin }: Pick<RequestFacts, 'idempotency' | 'origin'>,
): Promise<{ location: string }> {
  checkBranch(ref)
  projectDirectory(request.repoProjectDirectory)
  // Most of a flood ends here, before anything is looked up or locked.
  checkRoom(ctx, space.id, by.id)
  const remote = await checkRemote(ctx, url, by)
  const at = ctx.now().toISOString()
  const row: NewGitSyncOperation = {
    id: randomId(),
    space_id: space.id,
    direction,
    state: 'queued',
    stage: null,
    completed_tasks: 0,
    dispatched_tasks: 0,
    ref,
    url: remote.href,
    request: JSON.stringify(withoutSecrets(request)),
    sealed: ctx.keys.seal(url),
    timestamp: timestamp === undefined ? at : new Date(timestamp).toISOString(),
    revision: null,
    error: null,
    created_by: by.id,
    created_at: at,
    started_at: null,
    updated_at: at,
    completed_at: null,
  }
  const location = `${ctx.publicUrl()}/v1/spaces/${space.id}/git/operations/${row.id}`
  ctx.store.transact(() => {
    checkRoom(ctx, space.id, by.id)
    const last = findGitSync(ctx.store, space.id)?.last_timestamp
    if (timestamp === undefined) row.timestamp = latestOf(ctx, row, last)
    if (last && row.timestamp < last && !request.force) {
      throw invalid(
        `"timestamp" is older than the last operation that was applied (${last}). Send a newer one, or "force".`,
      )
    }
    insertGitSyncOperation(ctx.store, row)
    const head = findLatestRevisions(ctx.store, [space.id]).get(space.id)
    recordEvent(ctx.store, started(space, row, { userId: by.id, origin }, head))
    // With the operation, so that no crash lets it start twice.
    if (idempotency)
      keepAnswer(ctx.store, idempotency, { status: 204, headers: { Location: location } }, new Date(at))
    enqueue(ctx.store, syncJob(space, by), new Date(at))
  })
  ctx.wake()
  return { location }
}

const syncJob = (
  { id: spaceId, organization_id: organizationId }: SpaceRow,
  { id: userId }: UserRow,
): JobOrder<'git-sync'> => ({
  kind: 'git-sync',
  payload: { spaceId },
  lane: `git-sync ${spaceId}`,
  userId,
  organizationId,
})

const started = (
  { id: spaceId, organization_id: organizationId }: SpaceRow,
  { id, direction, ref, url, created_at: at }: NewGitSyncOperation,
  by: Doer,
  revision: string | undefined,
): Happening => ({
  action: 'git_sync.started',
  organizationId,
  ...by,
  target: { kind: 'git-sync-operation', id },
  spaceId,
  details: {
    operationId: id,
    direction,
    ref,
    url,
    ...(revision !== undefined && { revision, commitId: revision }),
  },
  at,
})

/**
 * Whoever says no time means now, also where the machine's clock has gone back: then it is as late as what was applied, and
 * as what was asked for before and waits.
 */
function latestOf(
  ctx: Context,
  { space_id, timestamp, created_at }: NewGitSyncOperation,
  last: string | null | undefined,
): string {
  const before = listPendingGitSyncOperations(ctx.store, space_id)
    .filter(row => row.created_at > created_at)
    .map(row => row.timestamp)
  return [timestamp, last ?? timestamp, ...before].reduce((a, b) => (a > b ? a : b))
}

function checkRoom(ctx: Context, spaceId: string, userId: string): void {
  if (countPendingGitSyncOperations(ctx.store, spaceId) >= mostPending)
    throw new Fault(
      'too_many',
      `${mostPending} imports and exports of this space are pending already: try again when some of them have ended.`,
    )
  if (countPendingGitSyncOperationsBy(ctx.store, userId) >= mostPendingOfUser)
    throw new Fault(
      'too_many',
      `You have ${mostPendingOfUser} imports and exports pending already: try again when some of them have ended.`,
    )
}

/** The addresses are kept and shown to all readers, so they are stored without anything that may be a credential. */
const withoutSecrets = ({ repoTreeURL, repoCommitURL, gitInfo, ...request }: SyncRequest): SyncRequest => ({
  ...request,
  repoTreeURL: webAddress(repoTreeURL),
  repoCommitURL: webAddress(repoCommitURL),
  gitInfo: gitInfo && { ...gitInfo, url: webAddress(gitInfo.url) },
})

function checkBranch(ref: string): void {
  try {
    checkRefName(ref)
  } catch {
    throw invalid('"ref" is not a name that Git takes for a branch: send "refs/heads/<branch>".')
  }
  const name = ref.slice('refs/heads/'.length)
  if (name === 'HEAD' || name.startsWith('-') || name.startsWith('refs/')) {
    throw invalid('"ref" names a branch that Git commands would take for something else: use another branch.')
  }
  if (changeRequestNumberOf(ref) !== undefined) {
    throw invalid(
      '"ref" has the form of a change request\'s branch (change-requests/<number>): use another branch.',
    )
  }
}

async function checkRemote(ctx: Context, url: string, by: UserRow) {
  const policy = { allowPrivate: ctx.config.allowPrivateRemotes }
  try {
    const remote = parseRemoteUrl(url, policy)
    await resolveRemote(remote, policy, remoteLookup(ctx, by.id))
    return remote
  } catch (error) {
    const failure = syncFailureOf(error)
    if (!failure) throw error
    if (error instanceof GitError && error.code === 'remote_blocked') throw forbidden(failure.message)
    throw invalid(failure.message)
  }
}
