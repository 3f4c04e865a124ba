import { createReadStream } from 'node:fs'
import { mkdir, open, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import type { Context } from '../../context.ts'
import { inParts } from '../../git/exchange/in-parts.ts'
import { randomId } from '../../lib/digest.ts'
import { findUploadPart, insertUploadPart } from '../../store/cluster/upload-parts.ts'
import type { UploadRow } from '../../store/tables/rows.ts'
import { uploadFile, uploadFolder } from './upload-files.ts'

/** Puts a file into the database, for all nodes. A file whose parts are there in part is completed. */
export async function sendFile(
  { store }: Pick<Context, 'store'>,
  { id }: Pick<UploadRow, 'id'>,
  { from, blob }: { from: string; blob: string },
): Promise<void> {
  let part = 0
  for await (const bytes of inParts(createReadStream(from))) {
    insertUploadPart(store, { upload_id: id, blob, part: part++, bytes })
    // Each write blocks all requests.
    await setImmediate()
  }
}

/**
 * Returns the path of the file of an upload; undefined: it is not there. Where nodes share it, fetches it
 * from the database first.
 */
export async function findFile(ctx: Context, row: UploadRow): Promise<string | undefined> {
  const path = uploadFile(ctx, row)
  const isThere = async () => (await stat(path).catch(() => undefined))?.size === row.size
  if (!(await isThere()) && ctx.store.isShared) await fetchFile(ctx, row, path)
  return (await isThere()) ? path : undefined
}

async function fetchFile(ctx: Context, { id, blob }: UploadRow, path: string): Promise<void> {
  if (blob === null) return
  await mkdir(uploadFolder(ctx), { recursive: true, mode: 0o700 })
  const folder = join(ctx.config.dataDir, 'tmp')
  await mkdir(folder, { recursive: true, mode: 0o700 })
  // A restart empties the folder.
  const draft = join(folder, `upload-${id}-${randomId(8)}`)
  const file = await open(draft, 'wx', 0o600)
  try {
    for (let part = 0; ; part++) {
      const bytes = findUploadPart(ctx.store, { id, blob }, part)
      if (!bytes) break
      await file.writeFile(bytes)
    }
    await file.close()
    await rename(draft, path)
  } finally {
    await file.close()
    await rm(draft, { force: true })
  }
}
