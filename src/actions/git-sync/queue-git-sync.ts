import type { RequestFacts } from '../../access/asker.ts'
import { checkPrimaryWriter } from '../../access/guards/primary.ts'
import { checkRole } from '../../access/guards/role-now.ts'
import type { Context } from '../../context.ts'
import { Fault, invalid } from '../../errors.ts'
import { checkRefName } from '../../git/refs/refs.ts'
import { parseRemoteUrl } from '../../git/remotes/remote-url.ts'
import { resolveRemote } from '../../git/remotes/remotes.ts'
import { GitError } from '../../git/values/errors.ts'
import { randomId } from '../../lib/digest.ts'
import type { Oid } from '../../lib/oid.ts'
import { webAddress } from '../../lib/web-address.ts'
import { enqueue } from '../../queue/enqueue.ts'
import type { JobOrder } from '../../queue/kinds.ts'
import { keepNewAnswer } from '../../store/events/idempotency.ts'
import {
  countPendingGitSyncRuns,
  countPendingGitSyncRunsBy,
  findGitSync,
  insertGitSyncRun,
  listPendingGitSyncRuns,
  type NewGitSyncRun,
} from '../../store/git/git-sync.ts'
import type { SpaceRow, UserRow } from '../../store/tables/rows.ts'
import type { AuditEvent, EventActor } from '../events/audit-event.ts'
import { recordEvent } from '../events/record-event.ts'
import { recordedHeads } from '../heads/recorded-heads.ts'
import { remoteLookup } from '../outgoing-route.ts'
import { changeRequestNumberOf } from '../repositories/ref-names.ts'
import { projectDirectory } from './project-directory.ts'
import { syncFailureOf } from './sync-failure.ts'
import type { SyncRequest } from './sync-run.ts'

type SyncOrder = SyncRequest & {
  direction: 'import' | 'export'
  url: string
  ref: string
  timestamp?: string | undefined
}

/** The most pending imports and exports per space. */
const mostPending = 20
/** The most pending imports and exports per user, in all spaces together. */
const mostPendingOfUser = 60

/**
 * Queues a Git import or export. Refuses at once an invalid URL or branch, a blocked host, and a
 * timestamp older than the last one applied. Returns the address of the operation that the API
 * shows for the run; the answer for an Idempotency-Key is stored with it, so that a crash cannot
 * start it twice.
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

  // Refuses most of a flood before any lookup or lock.
  checkPending(ctx, space.id, by.id)
  const remote = await checkRemote(ctx, url, by)
  const at = ctx.now().toISOString()
  const row: NewGitSyncRun = {
    id: randomId(),
    space_id: space.id,
    direction,
    state: 'queued',
    stage: null,
    completed_tasks: 0,
    dispatched_tasks: 0,
    ref,
    url: remote.href,
    request: withoutSecrets(request),
    sealed: ctx.keys.seal('git remote', url),
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
    const { space: now, role } = checkRole(ctx, space.id, by.id, 'edit')
    checkPrimaryWriter(ctx, now, { user: by, role }, direction)
    checkPending(ctx, space.id, by.id)
    const last = findGitSync(ctx.store, space.id)?.last_timestamp
    if (timestamp === undefined) row.timestamp = latestOf(ctx, row, last)

    if (last && row.timestamp < last && !request.force)
      throw new Fault(
        'outdated_timestamp',
        `"timestamp" is older than the last applied import or export (${last}). Send a newer one, or "force".`,
      )

    insertGitSyncRun(ctx.store, row)
    const head = recordedHeads(ctx, [space.id]).get(space.id)

    recordEvent(ctx.store, started(now, row, { userId: by.id, origin }, head))

    // In the same transaction as the run, so that a crash cannot start it twice.
    if (idempotency)
      keepNewAnswer(
        ctx.store,
        idempotency,
        { status: 204, headers: { Location: location } },
        new Date(at),
      )

    enqueue(ctx.store, syncJob(now, by), new Date(at))
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
  { id, direction, ref, url, created_at: at }: NewGitSyncRun,
  by: EventActor,
  revision: Oid | undefined,
): AuditEvent => ({
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
 * Returns the timestamp of a run without one: now, but never earlier than the last applied or any
 * pending run (the machine's clock may have been set back).
 */
function latestOf(
  ctx: Context,
  { space_id, timestamp, created_at }: NewGitSyncRun,
  last: string | null | undefined,
): string {
  const before = listPendingGitSyncRuns(ctx.store, space_id)
    .filter(row => row.created_at > created_at)
    .map(row => row.timestamp)
  return [timestamp, last ?? timestamp, ...before].reduce((a, b) => (a > b ? a : b))
}

function checkPending(ctx: Context, spaceId: string, userId: string): void {
  if (countPendingGitSyncRuns(ctx.store, spaceId) >= mostPending)
    throw new Fault(
      'too_many_pending',
      `${mostPending} imports and exports of this space are already pending. Try again when some of them have finished.`,
    )
  if (countPendingGitSyncRunsBy(ctx.store, userId) >= mostPendingOfUser)
    throw new Fault(
      'too_many_pending',
      `You have ${mostPendingOfUser} pending imports and exports. Try again when some of them have finished.`,
    )
}

/**
 * Removes anything that may be a credential from addresses, which are stored and shown to all
 * readers.
 */
const withoutSecrets = ({
  repoTreeURL,
  repoCommitURL,
  gitInfo,
  ...request
}: SyncRequest): SyncRequest => ({
  ...request,
  repoTreeURL: webAddress(repoTreeURL),
  repoCommitURL: webAddress(repoCommitURL),
  gitInfo: gitInfo && { ...gitInfo, url: webAddress(gitInfo.url) },
})

function checkBranch(ref: string): void {
  try {
    checkRefName(ref)
  } catch {
    throw invalid('"ref" is not a valid branch name. Send "refs/heads/<branch>".')
  }

  const name = ref.slice('refs/heads/'.length)
  if (name === 'HEAD' || name.startsWith('-') || name.startsWith('refs/')) {
    throw invalid('"ref" names a branch that Git commands would misread. Use another branch.')
  }

  if (changeRequestNumberOf(ref) !== undefined) {
    throw invalid(
      '"ref" has the form of a change request\'s branch (change-requests/<number>). Use another branch.',
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
    if (error instanceof GitError && error.code === 'remote_blocked')
      throw new Fault('remote_not_allowed', failure.message)
    throw invalid(failure.message)
  }
}
