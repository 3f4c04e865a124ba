import { mkdir, mkdtemp, open, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { asOid, type Oid } from '../../lib/oid.ts'
import { syncFolders } from '../disk/durable.ts'
import type { Repository } from '../process/processes.ts'
import { runGit } from '../process/run.ts'
import { checkRefName, listRefs, readRef } from '../refs/refs.ts'
import { listFiles } from '../trees/tree-files.ts'
import { commandError, fileError, GitError } from '../values/errors.ts'
import { defaultFloor, type PackFloor, PackWatch } from './pack-floor.ts'
import { type Progress, progressReader } from './progress.ts'
import { type NetworkOptions, type Remote, runRemote } from './remotes.ts'

export type { Progress } from './progress.ts'

/**
 * Limits of a fetch: bytes of the pack, objects, bytes of one file, and total pack bytes of the
 * target including the fetch. Exceeding one fails with 'too_large' and the limit's name as `what`.
 */
type FetchLimits = {
  packBytes: number
  objects: number
  blobBytes: number
  repositoryBytes: number
}

export type FetchOptions = NetworkOptions & {
  /** The branch of the remote, a full ref. */
  ref: string
  /** A folder for the staging repository, on any file system. It is created if missing. */
  stagingDir: string
  onProgress?: (progress: Progress) => void
  limits?: Partial<FetchLimits>
  /** The minimum speed of the remote. */
  floor?: Partial<PackFloor>
}

const defaultLimits: FetchLimits = {
  packBytes: 256 * 1024 ** 2,
  objects: 2_000_000,
  blobBytes: 100 * 1024 ** 2,
  repositoryBytes: 2 * 1024 ** 3,
}
const fetched = 'refs/import/head'

/**
 * Fetches a branch into a staging repository, checks and counts it there, and only then copies its
 * objects into the target. Returns its commit. Nothing else remains, whatever happens. Throws GitError
 * 'not_found', 'too_large', 'too_many_files', 'too_deep', 'bad_objects', 'timeout', 'too_slow',
 * 'aborted', 'no_space'; for others see `remoteError`.
 */
export async function fetchRemote(
  target: Repository,
  remote: Remote,
  options: FetchOptions,
): Promise<Oid> {
  checkRefName(options.ref)
  await mkdir(options.stagingDir, { recursive: true })
  const dir = await mkdtemp(join(options.stagingDir, 'fetch-'))
  const staging: Repository = { dir, processes: target.processes }

  try {
    await prepare(staging, target)
    const limits = { ...defaultLimits, ...options.limits }
    await download(staging, remote, options, limits.packBytes)
    const oid = await readRef(staging, fetched)
    if (!oid) throw new GitError('not_found', 'The remote repository has no such branch.')
    await checkSize(staging, target, limits, options)
    await listFiles(staging, oid)
    await takeOver(target, staging, options)
    return oid
  } catch (error) {
    throw fileError('fetch', error)
  } finally {
    target.processes.closeRepository(dir)
    await rm(dir, { recursive: true, force: true })
  }
}

/**
 * Prepares an empty repository that borrows the target's objects. The target's branches are listed
 * in it under other names, so the server sends only new objects.
 */
async function prepare({ dir }: Repository, target: Repository): Promise<void> {
  for (const folder of ['objects/info', 'objects/pack', 'refs'])
    await mkdir(join(dir, folder), { recursive: true })
  await writeFile(join(dir, 'HEAD'), 'ref: refs/heads/none\n')
  await writeFile(join(dir, 'config'), '[core]\n\trepositoryformatversion = 0\n\tbare = true\n')
  await writeFile(join(dir, 'objects/info/alternates'), `${join(target.dir, 'objects')}\n`)
  const known = [
    ...(await listRefs(target, 'refs/heads/')),
    ...(await listRefs(target, 'refs/stemma/remotes/')),
  ]
  const oids = [...new Set(known.map(([, oid]) => oid))].slice(0, 1000)

  await writeFile(join(dir, 'packed-refs'), oids.map(oid => `${oid} refs/have/${oid}\n`).join(''))
}

async function download(
  staging: Repository,
  remote: Remote,
  options: FetchOptions,
  fileBytes: number,
): Promise<void> {
  const args = [
    'fetch',
    '--progress',
    '--no-tags',
    '--no-auto-maintenance',
    '--no-recurse-submodules',
    '--no-write-fetch-head',
    '--refmap=',
    '--',
    remote.url.href,
    `+${options.ref}:${fetched}`,
  ]
  const { onProgress, signal } = options
  const readProgress = onProgress && progressReader(onProgress)
  const watch = new PackWatch(async () => total(await packSizes(staging)), {
    ...defaultFloor,
    ...options.floor,
  })
  const abort = () => watch.abort(signal?.reason)

  signal?.addEventListener('abort', abort, { once: true })
  if (signal?.aborted) abort()

  try {
    await runRemote(
      staging,
      remote,
      args,
      { ...options, signal: watch.signal },
      {
        config: [['core.fsync', 'none']], // the staging repository is temporary
        fileBytes,
        onStderr: text => {
          watch.read(text)
          readProgress?.(text)
        },
      },
    )
  } catch (error) {
    // The system kills git silently when a file gets too large.
    for (const size of (await packSizes(staging)).values())
      if (size >= fileBytes) throw tooLarge('packBytes', fileBytes)
    throw error
  } finally {
    watch.stop()
    signal?.removeEventListener('abort', abort)
  }
}

async function checkSize(
  staging: Repository,
  target: Repository,
  limits: FetchLimits,
  { timeoutMs }: NetworkOptions,
): Promise<void> {
  const check = (what: keyof FetchLimits, value: number) => {
    if (value > limits[what]) throw tooLarge(what, limits[what])
  }
  const packs = await packSizes(staging)
  const bytes = total(packs)
  check('packBytes', bytes)
  check('repositoryBytes', bytes + total(await packSizes(target)))
  let objects = 0

  for (const name of packs.keys())
    for await (const oids of idsOf(
      join(staging.dir, 'objects/pack', name.replace(/pack$/, 'idx')),
    )) {
      objects += oids.length
      check('objects', objects)
      for (const size of await sizesOf(staging, oids, timeoutMs)) check('blobBytes', size)
    }
}

/**
 * Returns the unpacked sizes of objects. Types are not requested: with deltas on deltas, each
 * answer would walk the whole chain.
 */
async function sizesOf(
  repo: Repository,
  oids: readonly Oid[],
  timeoutMs?: number,
): Promise<number[]> {
  const { code, stdout, stderr } = await runGit(repo, ['cat-file', '--batch-check=%(objectsize)'], {
    input: `${oids.join('\n')}\n`,
    ...(timeoutMs && { timeoutMs }),
  })
  if (code !== 0) throw commandError('measure the fetched objects', code, stderr)
  return stdout.toString().split('\n').map(Number)
}

const tooLarge = (what: keyof FetchLimits, limit: number): GitError =>
  new GitError('too_large', 'The remote repository is too large.', { what, limit })

/** Returns the bytes of a repository's packs, including incomplete ones, by name. */
async function packSizes({ dir }: Repository): Promise<Map<string, number>> {
  const folder = join(dir, 'objects/pack')
  const sizes = new Map<string, number>()
  for (const name of await readdir(folder)) {
    if (!/^tmp_pack|\.pack$/.test(name)) continue
    // A pack that a repack has just removed exists under another name.
    const found = await stat(join(folder, name)).catch(() => undefined)
    if (found) sizes.set(name, found.size)
  }

  return sizes
}

const total = (sizes: Map<string, number>): number =>
  [...sizes.values()].reduce((all, size) => all + size, 0)

/**
 * Yields the object ids of a pack index in batches (version 2: eight bytes, 256 counts, then the
 * sorted ids).
 */
async function* idsOf(file: string): AsyncGenerator<Oid[], void, undefined> {
  const start = 8 + 256 * 4
  const portion = 50_000
  const handle = await open(file, 'r')

  try {
    const head = Buffer.alloc(start)
    await handle.read(head, 0, start, 0)
    const count = head.readUInt32BE(start - 4)
    const bytes = Buffer.alloc(portion * 20)

    for (let at = 0; at < count; at += portion) {
      const some = Math.min(portion, count - at)
      await handle.read(bytes, 0, some * 20, start + at * 20)
      yield Array.from({ length: some }, (_, i) =>
        asOid(bytes.toString('hex', i * 20, i * 20 + 20)),
      )
    }
  } finally {
    await handle.close()
  }
}

/**
 * Copies the objects into the target. The objects were checked on arrival and are not checked again.
 */
async function takeOver(
  target: Repository,
  staging: Repository,
  { timeoutMs = 600_000 }: NetworkOptions,
): Promise<void> {
  const args = [
    'fetch',
    '--quiet',
    '--no-tags',
    '--no-auto-maintenance',
    '--no-recurse-submodules',
    '--no-write-fetch-head',
    '--refmap=',
    '--',
    staging.dir,
    fetched,
  ]

  const { code, stderr } = await runGit(target, args, {
    protocols: 'file',
    timeoutMs,
    config: ['fetch.fsckObjects', 'transfer.fsckObjects'].map(key => [key, 'false'] as const),
  })
  if (code !== 0) throw commandError('copy the fetched objects', code, stderr)
  await syncFolders([join(target.dir, 'objects/pack'), join(target.dir, 'objects')])
}
