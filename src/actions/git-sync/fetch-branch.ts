import { join } from 'node:path'
import type { Context } from '../../context.ts'
import type { Repository } from '../../git/process/processes.ts'
import { listRefs, moveRefs, readRef } from '../../git/refs/refs.ts'
import { parseRemoteUrl } from '../../git/remotes/remote-url.ts'
import { listRemoteRef, type Remote, resolveRemote } from '../../git/remotes/remotes.ts'
import { fetchRemote } from '../../git/remotes/staging.ts'
import type { Oid } from '../../git/values/oid.ts'
import { digestId } from '../../lib/digest.ts'
import { freeBytes } from '../../lib/free-bytes.ts'
import type { GitSyncOperationRow } from '../../store/tables/rows.ts'
import { remoteLookup } from '../outgoing-route.ts'
import type { SyncRequest } from './queue-git-sync.ts'
import { SyncFailure } from './sync-failure.ts'
import type { Tracker } from './track-git-sync.ts'

/** Bytes that must be free on the disk for an import to begin. */
const roomForImports = 512 * 1024 * 1024

/** The remote's name among refs: what the caller calls the cache, else its address. */
const cacheName = ({ url }: GitSyncOperationRow, { repoCacheID }: SyncRequest): string =>
  digestId('remote', repoCacheID ?? url)

/** Where a space keeps what it last saw of a remote's branch. */
const remoteRef = (operation: GitSyncOperationRow, request: SyncRequest): string =>
  `refs/stemma/remotes/${cacheName(operation, request)}/${operation.ref.slice('refs/heads/'.length)}`

/** Where a space keeps the commit that stands for a folder of a remote's branch, or of all of it ('') what was taken in last. */
export const projectRef = (operation: GitSyncOperationRow, request: SyncRequest, directory: string): string =>
  `refs/stemma/projects/${cacheName(operation, request)}/${digestId('project', operation.ref, directory)}`

/** The remote of an operation, with its credentials, looked up and found to be allowed: before every use. */
export async function remoteOf(ctx: Context, operation: GitSyncOperationRow): Promise<Remote> {
  if (!operation.sealed) throw new SyncFailure('The credentials of this operation are gone: start it again.')
  const policy = { allowPrivate: ctx.config.allowPrivateRemotes }
  const url = parseRemoteUrl(ctx.keys.open(operation.sealed), policy)
  return resolveRemote(url, policy, remoteLookup(ctx, operation.created_by))
}

/**
 * Fetches the operation's branch into the space's repository. Returns its commit, or undefined when the remote has no such
 * branch.
 */
export async function fetchBranch(
  ctx: Context,
  repo: Repository,
  operation: GitSyncOperationRow,
  { signal, track }: { signal: AbortSignal; track: Tracker },
): Promise<Oid | undefined> {
  if (freeBytes(ctx.config.dataDir) < roomForImports)
    throw new SyncFailure('The disk of this server is almost full: make room and try again.')
  const remote = await remoteOf(ctx, operation)
  const tip = await listRemoteRef(remote, operation.ref, { signal })
  if (!tip) return undefined
  const into = remoteRef(operation, JSON.parse(operation.request) as SyncRequest)
  if ((await readRef(repo, into)) === tip) return tip
  await clearTheWay(repo, into)
  // What comes is measured when the next thing is written.
  repo.processes.sizes.delete(repo.dir)
  return fetchRemote(repo, remote, {
    ref: operation.ref,
    into,
    stagingDir: join(ctx.config.dataDir, 'staging'),
    signal,
    timeoutMs: ctx.config.maxImportMs,
    limits: {
      packBytes: ctx.config.maxImportPackBytes,
      repositoryBytes: ctx.config.maxRepositoryBytes,
    },
    onProgress: ({ done, total }) => track.progress(done, total),
  })
}

/** Forgets branches of the remote that are gone there, because this one is named like a folder of theirs, or in one of their name. */
async function clearTheWay(repo: Repository, ref: string): Promise<void> {
  const seen = await listRefs(repo, ref.split('/').slice(0, 4).join('/'))
  const gone = [...seen].filter(([other]) => other.startsWith(`${ref}/`) || ref.startsWith(`${other}/`))
  await moveRefs(
    repo,
    gone.map(([other, oid]) => ({ ref: other, from: oid, to: null })),
  )
}
