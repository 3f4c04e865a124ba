import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Context } from '../../context.ts'
import { deleteUpload, findUpload, listExpiredUploads } from '../../store/spaces/uploads.ts'
import type { UploadRow } from '../../store/tables/rows.ts'
import { mayDestroy } from '../may-destroy.ts'
import { lockUpload, uploadFile, uploadFolder } from './upload-files.ts'

/** The number of uploads that are removed in one go. */
const portion = 100

/** Removes an upload with its file. Hold its lock. */
export async function removeUpload(
  ctx: Context,
  row: Pick<UploadRow, 'id'>,
  userId?: string,
): Promise<void> {
  const found = findUpload(ctx.store, row.id)
  if (!found || (userId !== undefined && found.user_id !== userId)) return
  // The file goes first: a row without a file is removed when it expires.
  await rm(uploadFile(ctx, row), { force: true })
  deleteUpload(ctx.store, row.id)
}

/** Removes uploads that have expired. */
export async function removeExpiredUploads(ctx: Context): Promise<void> {
  const now = ctx.now().toISOString()
  for (;;) {
    const rows = listExpiredUploads(ctx.store, now, portion)
    if (rows.length === 0 || !mayDestroy(ctx, 'unused uploads')) return
    for (const { id } of rows) await lockUpload(ctx, id, () => removeIfExpired(ctx, id, now))
  }
}

async function removeIfExpired(ctx: Context, id: string, now: string): Promise<void> {
  const row = findUpload(ctx.store, id)
  if (row && row.expires_at <= now) await removeUpload(ctx, row)
}

/** Removes files whose uploads are gone, as with their organization. */
export async function removeLostUploads(ctx: Context): Promise<void> {
  for (const id of await readdir(uploadFolder(ctx)).catch(() => []))
    await lockUpload(ctx, id, async () => {
      if (!findUpload(ctx.store, id)) await rm(join(uploadFolder(ctx), id), { force: true })
    })
}

/** Removes what this node has of uploads that were used or have expired at another one. */
export async function removeCopies(ctx: Context): Promise<void> {
  if (ctx.store.isShared) await removeLostUploads(ctx)
}
