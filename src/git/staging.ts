import { mkdir, mkdtemp, open, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { syncFolders } from './durable.ts'
import { commandError, fileError, GitError } from './errors.ts'
import { objectInfo } from './objects.ts'
import { asOid, type Oid } from './oid.ts'
import { type Progress, progressReader } from './progress.ts'
import { checkRefName, listRefs, moveRefs, readRef } from './refs.ts'
import { type NetworkOptions, type Remote, runRemote } from './remotes.ts'
import type { Repository } from './repository.ts'
import { runGit } from './run.ts'
import { listFiles } from './tree-files.ts'

export type { Progress } from './progress.ts'

/** What a fetch may bring at most: bytes of packs, objects, and bytes of one file. */
export type FetchLimits = { packBytes: number; objects: number; blobBytes: number }

export type FetchOptions = NetworkOptions & {
  /** The branch of the remote, a full ref. */
  ref: string
  /** The ref of the target that shall hold what was fetched; it may move anywhere. */
  into: string
  /** A folder for the staging repository, on any file system. It is made when it is not there. */
  stagingDir: string
  onProgress?: (progress: Progress) => void
  limits?: Partial<FetchLimits>
}

const defaultLimits: FetchLimits = { packBytes: 1024 ** 3, objects: 2_000_000, blobBytes: 100 * 1024 * 1024 }
const fetched = 'refs/import/head'

/**
 * Fetches a branch into the target: first into a repository of its own, where it is checked and counted, and
 * only then, whole, into the target, under the ref `into`. Whatever happens, nothing is left beside that.
 * Throws GitError 'not_found', 'too_large', 'too_many_files', 'too_deep', 'bad_objects', 'timeout',
 * 'aborted', 'no_space'; others see `remoteError`.
 */
export async function fetchRemote(target: Repository, remote: Remote, options: FetchOptions): Promise<Oid> {
  checkRefName(options.ref)
  checkRefName(options.into)
  await mkdir(options.stagingDir, { recursive: true })
  const dir = await mkdtemp(join(options.stagingDir, 'fetch-'))
  const staging: Repository = { dir, processes: target.processes }
  try {
    await prepare(staging, target)
    await download(staging, remote, options)
    const oid = await readRef(staging, fetched)
    if (!oid) throw new GitError('not_found', 'The remote repository has no such branch.')
    await checkSize(staging, { ...defaultLimits, ...options.limits })
    await listFiles(staging, oid)
    await takeOver(target, staging)
    const from = (await readRef(target, options.into)) ?? null
    await moveRefs(target, [{ ref: options.into, from, to: oid }])
    return oid
  } catch (error) {
    throw fileError('fetch', error)
  } finally {
    target.processes.closeRepository(dir)
    await rm(dir, { recursive: true, force: true })
  }
}

/**
 * An empty repository that borrows the target's objects. Its branches stand there under other names: the
 * server is told of them, and sends only what is new.
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

async function download(staging: Repository, remote: Remote, options: FetchOptions): Promise<void> {
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
  const { onProgress } = options
  await runRemote(staging, remote, args, options, {
    config: [['core.fsync', 'none']], // it goes away in any case
    ...(onProgress && { onStderr: progressReader(onProgress) }),
  })
}

async function checkSize(staging: Repository, limits: FetchLimits): Promise<void> {
  const folder = join(staging.dir, 'objects/pack')
  const tooLarge = (what: string, limit: number) =>
    new GitError('too_large', 'The remote repository is too large.', { what, limit })
  let bytes = 0
  let objects = 0
  for (const name of await readdir(folder)) {
    if (name.endsWith('.pack')) bytes += (await stat(join(folder, name))).size
    if (bytes > limits.packBytes) throw tooLarge('bytes', limits.packBytes)
    if (!name.endsWith('.idx')) continue
    for await (const oids of idsOf(join(folder, name))) {
      objects += oids.length
      if (objects > limits.objects) throw tooLarge('objects', limits.objects)
      for (const { size } of (await objectInfo(staging, oids)).values())
        if (size > limits.blobBytes) throw tooLarge('a file', limits.blobBytes)
    }
  }
}

/**
 * The object ids that a pack index lists (version 2: eight bytes, 256 counts, then the sorted ids), in
 * portions.
 */
async function* idsOf(file: string): AsyncGenerator<Oid[], void, undefined> {
  const start = 8 + 256 * 4
  const portion = 5000
  const handle = await open(file, 'r')
  try {
    const head = Buffer.alloc(start)
    await handle.read(head, 0, start, 0)
    const count = head.readUInt32BE(start - 4)
    const bytes = Buffer.alloc(portion * 20)
    for (let at = 0; at < count; at += portion) {
      const some = Math.min(portion, count - at)
      await handle.read(bytes, 0, some * 20, start + at * 20)
      yield Array.from({ length: some }, (_, i) => asOid(bytes.toString('hex', i * 20, i * 20 + 20)))
    }
  } finally {
    await handle.close()
  }
}

/** Brings the objects into the target. No ref moves here: that is done by `moveRefs` alone. */
async function takeOver(target: Repository, staging: Repository): Promise<void> {
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
  const { code, stderr } = await runGit(target, args, { protocols: 'file', timeoutMs: 600_000 })
  if (code !== 0) throw commandError('take over what was fetched', code, stderr)
  await syncFolders([join(target.dir, 'objects/pack'), join(target.dir, 'objects')])
}
