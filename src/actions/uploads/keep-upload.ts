import { mkdir, rename, rm } from 'node:fs/promises'
import { whyUnusable } from '../../access/actor.ts'
import { checkMember } from '../../access/guards/organization.ts'
import { reachOf } from '../../access/reach.ts'
import type { Context } from '../../context.ts'
import { Fault } from '../../errors.ts'
import { syncFolders } from '../../git/disk/durable.ts'
import type { Oid } from '../../lib/oid.ts'
import { findToken } from '../../store/people/tokens.ts'
import { findUser } from '../../store/people/users.ts'
import { findUpload, markArrived } from '../../store/spaces/uploads.ts'
import type { UploadRow } from '../../store/tables/rows.ts'
import { findFile, sendFile } from './shared-files.ts'
import { lockUpload, uploadFile, uploadFolder } from './upload-files.ts'

/** How long a file that has arrived waits to be used, in milliseconds. */
const keptMs = 24 * 3_600_000

/**
 * Returns the upload whose bytes an address takes. Throws 'missing' for an unknown address, and
 * 'forbidden' for one that has expired or whose maker may no longer use it.
 */
export function openUpload(ctx: Context, id: string, signature: unknown): UploadRow {
  const isGenuine = typeof signature === 'string' && ctx.keys.verify('upload', id, signature)
  const row = isGenuine ? findUpload(ctx.store, id) : undefined
  if (!row) throw noUpload()
  checkMaker(ctx, row)
  if (row.expires_at <= new Date(ctx.store.time).toISOString())
    throw new Fault('address_expired', 'This address has expired. Ask for a new one.')
  return row
}

/**
 * Returns the upload that an address of `shownAt` shows, and its file. Throws 'missing' for an
 * unknown address, 'forbidden' if the maker of the upload may no longer use it.
 */
export async function openShown(
  ctx: Context,
  id: string,
  signature: unknown,
): Promise<{ row: UploadRow; path: string }> {
  const isGenuine = typeof signature === 'string' && ctx.keys.verify('shown upload', id, signature)
  const row = isGenuine ? findUpload(ctx.store, id) : undefined
  if (!row || row.blob === null) throw noUpload()
  checkMaker(ctx, row)
  const path = await findFile(ctx, row)
  if (path === undefined) throw noUpload()
  return { row, path }
}

/** Throws 'forbidden' unless the maker of an address may still use it. */
function checkMaker(ctx: Context, row: UploadRow): void {
  const token = findToken(ctx.store, row.token_id)
  const user = findUser(ctx.store, row.user_id)
  if (!token || !user || whyUnusable(ctx, token, ctx.store.time) !== undefined) throw noLonger()
  try {
    checkMember({ ...ctx, reach: reachOf(token) }, row.organization_id, user, 'guest')
  } catch (error) {
    throw error instanceof Fault ? noLonger() : error
  }
}

/**
 * Keeps a file as that of an upload: all its bytes are at `from`, on the disk. The rights of its
 * maker are checked again, because the bytes may have taken a while. A client that did not get the
 * answer sends the same file again: that does nothing. Throws what `openUpload` throws, and
 * 'conflict' if another file has arrived.
 */
export const keepUpload = (
  ctx: Context,
  row: UploadRow,
  { from, size, blob }: { from: string; size: number; blob: Oid },
): Promise<void> =>
  lockUpload(ctx, row.id, async () => {
    const now = findUpload(ctx.store, row.id)
    if (!now) throw noUpload()
    checkMaker(ctx, now)
    if (now.blob === blob) return
    if (now.blob !== null) throw arrivedAlready()
    const expires_at = new Date(ctx.now().getTime() + keptMs).toISOString()
    const arrived = () => markArrived(ctx.store, row.id, { blob, size, expires_at }) > 0
    if (ctx.store.isShared) {
      await sendFile(ctx, row, { from, blob })
      if (!arrived() && findUpload(ctx.store, row.id)?.blob !== blob) throw arrivedAlready()
      return
    }
    const file = uploadFile(ctx, row)
    await mkdir(uploadFolder(ctx), { recursive: true, mode: 0o700 })
    await rename(from, file)
    await syncFolders([uploadFolder(ctx)])
    if (!arrived()) await rm(file, { force: true })
  })

const noUpload = () =>
  new Fault('not_found', 'There is no upload with this address. Ask for a new one.')

const noLonger = () =>
  new Fault(
    'access_ended',
    'The user who asked for this address may no longer use it: the token or the membership ended.',
  )

const arrivedAlready = () =>
  new Fault(
    'upload_taken',
    'Another file has been sent to this address. Ask for a new one to send this one.',
  )
