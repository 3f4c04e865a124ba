import { join } from 'node:path'
import type { Context } from '../../context.ts'
import type { Repository } from '../../git/process/processes.ts'
import { moveRefs } from '../../git/refs/refs.ts'
import { parseRemoteUrl } from '../../git/remotes/remote-url.ts'
import { listRemoteRef, type Remote, resolveRemote } from '../../git/remotes/remotes.ts'
import { fetchRemote } from '../../git/remotes/staging.ts'
import { digestId } from '../../lib/digest.ts'
import { freeBytes } from '../../lib/free-bytes.ts'
import type { Oid } from '../../lib/oid.ts'
import type { GitSyncRunRow } from '../../store/tables/rows.ts'
import { remoteLookup } from '../outgoing-route.ts'
import { headOf, headsBelow } from '../repositories/head-of.ts'
import { isCache } from '../repositories/repository-of.ts'
import { SyncFailure } from './sync-failure.ts'
import type { SyncRequest, Tracker } from './sync-run.ts'

/** Free disk space required to start an import, in bytes. */
const roomForImports = 512 * 1024 * 1024

/** Returns the name of a remote in refs: from the caller's cache id, else from its address. */
const cacheName = ({ url }: GitSyncRunRow, { repoCacheID }: SyncRequest): string =>
  digestId('remote', repoCacheID ?? url)

/** Returns the ref of the last fetched commit of a remote's branch. */
const remoteRef = (run: GitSyncRunRow, request: SyncRequest): string =>
  `refs/stemma/remotes/${cacheName(run, request)}/${run.ref.slice('refs/heads/'.length)}`

/**
 * Returns the ref of the last adopted commit for a folder of a remote's branch ('': the whole
 * branch).
 */
export const projectRef = (run: GitSyncRunRow, request: SyncRequest, directory: string): string =>
  `refs/stemma/projects/${cacheName(run, request)}/${digestId('project', run.ref, directory)}`

/**
 * Returns the remote of a run with its credentials, resolved and checked against the policy. Call
 * before every use.
 */
export async function remoteOf(ctx: Context, run: GitSyncRunRow): Promise<Remote> {
  if (!run.sealed)
    throw new SyncFailure('The credentials are no longer stored. Start the import or export again.')
  const policy = { allowPrivate: ctx.config.allowPrivateRemotes }
  const url = parseRemoteUrl(ctx.keys.open('git remote', run.sealed), policy)
  return resolveRemote(url, policy, remoteLookup(ctx, run.created_by))
}

/**
 * Fetches the run's branch into the space's repository. Returns its commit; undefined if the remote
 * has no such branch.
 */
export async function fetchBranch(
  ctx: Context,
  repo: Repository,
  run: GitSyncRunRow,
  { signal, track }: { signal: AbortSignal; track: Tracker },
): Promise<Oid | undefined> {
  if (freeBytes(ctx.config.dataDir) < roomForImports)
    throw new SyncFailure('The disk of the server is almost full. Free disk space and try again.')
  const remote = await remoteOf(ctx, run)
  const tip = await listRemoteRef(remote, run.ref, { signal })
  if (!tip) return undefined

  const into = remoteRef(run, run.request as SyncRequest)
  if (headOf(ctx, run.space_id, into) === tip) return tip

  // Measure the repository again at the next write.
  repo.processes.sizes.delete(repo.dir)

  const fetched = await fetchRemote(repo, remote, {
    ref: run.ref,
    stagingDir: join(ctx.config.dataDir, 'staging'),
    signal,
    timeoutMs: ctx.config.maxImportMs,
    limits: {
      packBytes: ctx.config.maxImportPackBytes,
      repositoryBytes: ctx.config.maxRepositoryBytes,
    },
    onProgress: ({ done, total }) => track.progress(done, total),
  })
  // The refs of a cache are those of the database, where this one is of no use to other nodes.
  if (!isCache(ctx)) await remember(ctx, repo, run.space_id, { into, fetched })
  return fetched
}

/**
 * Keeps what was fetched, for the next fetch, instead of refs of deleted remote branches whose names
 * collide with this one: a branch inside a folder of its name, or named like one of its folders.
 */
async function remember(
  ctx: Context,
  repo: Repository,
  key: string,
  { into, fetched }: { into: string; fetched: Oid },
): Promise<void> {
  const seen = await headsBelow(ctx, key, into.split('/').slice(0, 4).join('/'))
  const gone = [...seen].filter(
    ([other]) => other.startsWith(`${into}/`) || into.startsWith(`${other}/`),
  )
  await moveRefs(
    repo,
    gone.map(([ref, from]) => ({ ref, from, to: null })),
  )
  await moveRefs(repo, [{ ref: into, from: headOf(ctx, key, into) ?? null, to: fetched }])
}
