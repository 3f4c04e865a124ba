import { type FileHandle, mkdir, open, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { stateSlot } from '../caches.ts'
import type { Context } from '../context.ts'
import { Fault } from '../errors.ts'
import { streamBlob } from '../git/objects/stream-blob.ts'
import type { Repository } from '../git/process/processes.ts'
import type { Oid } from '../git/values/oid.ts'
import { randomId } from '../lib/digest.ts'

type Spool = { handle: Promise<FileHandle>; users: number; timer?: NodeJS.Timeout }

/** How long a file stays after its last use: a video player requests one range after another. */
const keepMs = 20_000

/** The open files by blob. */
const openSpools = stateSlot(() => new Map<string, Spool>())

/**
 * Passes a blob to `use` as an open file, so that a slow reader holds a file instead of a git process and any range
 * can be read. The file has no name and disappears after its last use. Throws 'no_space'.
 */
export async function withBlobFile(
  ctx: Context,
  repo: Repository,
  oid: Oid,
  use: (file: FileHandle) => Promise<void>,
): Promise<void> {
  const spools = ctx.caches.get(openSpools)
  let spool = spools.get(oid)
  if (!spool) {
    spool = { handle: unpack(ctx, repo, oid), users: 0 }
    spools.set(oid, spool)
    spool.handle.catch(() => spools.delete(oid))
  }
  clearTimeout(spool.timer)
  spool.users++
  try {
    await use(await spool.handle)
  } finally {
    spool.users--
    if (spool.users === 0) endLater(spools, oid, spool)
  }
}

function endLater(spools: Map<string, Spool>, oid: Oid, spool: Spool): void {
  clearTimeout(spool.timer)
  spool.timer = setTimeout(() => {
    if (spool.users > 0) return
    if (spools.get(oid) === spool) spools.delete(oid)
    spool.handle.then(
      handle => handle.close(),
      () => {},
    )
  }, keepMs)
  spool.timer.unref()
}

async function unpack(ctx: Context, repo: Repository, oid: Oid): Promise<FileHandle> {
  const folder = join(ctx.config.dataDir, 'tmp')
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const name = join(folder, `download-${randomId(12)}`)
  const handle = await open(name, 'wx+', 0o600)
  try {
    await unlink(name)
    for await (const chunk of streamBlob(repo, oid)) await handle.writeFile(chunk)
    return handle
  } catch (error) {
    await handle.close()
    const { code } = error as NodeJS.ErrnoException
    if (code !== 'ENOSPC' && code !== 'EDQUOT') throw error
    throw new Fault('no_space', 'The disk of the server is full. The file cannot be sent at the moment.')
  }
}
