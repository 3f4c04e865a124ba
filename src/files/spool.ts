import { type FileHandle, mkdir, open, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { stateSlot } from '../caches.ts'
import type { Context } from '../context.ts'
import { Fault } from '../errors.ts'
import { readBlob, unreadable } from '../git/objects/objects.ts'
import { streamBlob } from '../git/objects/stream-blob.ts'
import type { Repository } from '../git/process/processes.ts'
import { randomId } from '../lib/digest.ts'
import { FairSlots } from '../lib/fair-slots.ts'
import type { Oid } from '../lib/oid.ts'

type Spool = { handle: Promise<FileHandle>; users: number; timer?: NodeJS.Timeout }

/** Blobs up to this size are read as a whole, without a git process of their own. */
const wholeLimit = 1024 * 1024
/** The whole blobs in memory at once. */
const wholeSlots = {
  total: 8,
  perShare: 4,
  waitersPerShare: 2_000,
  waitMs: 30_000,
  refusal: tooManyReads,
}

/**
 * How long a larger file stays after its last use: a video player requests one range after another.
 */
const keepMs = 20_000

/** The open files by blob, and the slots of blobs that are read as a whole. */
const openSpools = stateSlot(() => ({
  files: new Map<string, Spool>(),
  slots: new FairSlots(wholeSlots),
}))

/** A blob and its size in bytes. */
type SizedBlob = { oid: Oid; size: number }

/**
 * Passes a blob to `use` as an open file, so that a slow reader holds a file instead of a git
 * process or the blob, and any range can be read. The file has no name and disappears after its
 * last use. Throws 'no_space', 'unavailable'.
 */
export async function withBlobFile(
  ctx: Context,
  repo: Repository,
  blob: SizedBlob,
  use: (file: FileHandle) => Promise<void>,
): Promise<void> {
  const { files, slots } = ctx.caches.get(openSpools)
  const { oid, size } = blob
  let spool = files.get(oid)

  if (!spool) {
    spool = { handle: unpack(ctx, chunksOf(repo, blob, slots)), users: 0 }
    files.set(oid, spool)
    spool.handle.catch(() => files.delete(oid))
  }

  clearTimeout(spool.timer)
  spool.users++

  try {
    await use(await spool.handle)
  } finally {
    spool.users--
    if (spool.users === 0) {
      if (size <= wholeLimit) endUnused(files, oid, spool)
      else spool.timer = setTimeout(endUnused, keepMs, files, oid, spool).unref()
    }
  }
}

function endUnused(files: Map<string, Spool>, oid: Oid, spool: Spool): void {
  if (spool.users > 0) return
  if (files.get(oid) === spool) files.delete(oid)
  spool.handle.then(
    handle => handle.close(),
    () => {},
  )
}

/** Yields the bytes of a blob. Throws 'unavailable' when too many are being read. */
async function* chunksOf(
  repo: Repository,
  { oid, size }: SizedBlob,
  slots: FairSlots,
): AsyncGenerator<Buffer, void, undefined> {
  if (size > wholeLimit) return yield* streamBlob(repo, oid)
  const release = await slots.take(repo.dir)
  try {
    const bytes = await readBlob(repo, oid)
    if (!bytes) throw unreadable(oid)
    yield bytes
  } finally {
    release()
  }
}

function tooManyReads(): Fault {
  const refusal = { label: 'reading_files', retryAfter: 5 }
  const message = 'The server is reading too many files. Try again in a few seconds.'
  return new Fault('busy', message, undefined, refusal)
}

async function unpack(
  ctx: Context,
  chunks: AsyncGenerator<Buffer, void, undefined>,
): Promise<FileHandle> {
  const folder = join(ctx.config.dataDir, 'tmp')
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const name = join(folder, `download-${randomId(12)}`)
  const handle = await open(name, 'wx+', 0o600)

  try {
    await unlink(name)
    for await (const chunk of chunks) await handle.writeFile(chunk)
    return handle
  } catch (error) {
    await handle.close()
    const { code } = error as NodeJS.ErrnoException
    if (code !== 'ENOSPC' && code !== 'EDQUOT') throw error
    throw new Fault(
      'disk_full',
      'The disk of the server is full. The file cannot be sent at the moment.',
    )
  }
}
