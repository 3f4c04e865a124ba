import { createHash } from 'node:crypto'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Express } from 'express'
import { keepUpload, openUpload } from '../../../actions/uploads/keep-upload.ts'
import type { Context } from '../../../context.ts'
import { checkDiskSpace } from '../../../http/mount.ts'
import { asOid } from '../../../lib/oid.ts'
import { receiveFile } from './receive-file.ts'

const path = '/uploads/'

/** Returns whether a URL takes the bytes of a file, which may come for minutes. */
export const isUpload = (url: string): boolean => url.startsWith(path)

/**
 * Takes the bytes of files at the addresses that `generateStorageUploadURL` gives out, without a
 * token. No byte is read before the address is found to be good.
 */
export function serveUploads(app: Express, ctx: Context): void {
  app.put(`${path}:id`, async (req, res) => {
    const row = openUpload(ctx, req.params.id, req.query.signature)
    checkDiskSpace(ctx.config.dataDir)
    const folder = join(ctx.config.dataDir, 'tmp')
    await mkdir(folder, { recursive: true, mode: 0o700 })
    // The same name for each request: two at once cannot send one file. A restart empties the folder.
    const from = join(folder, `upload-${row.id}`)
    const digest = createHash('sha1').update(`blob ${row.size}\0`)
    await receiveFile(req, res, { path: from, size: row.size, digest })
    try {
      await keepUpload(ctx, row, { from, blob: asOid(digest.digest('hex')) })
    } finally {
      await rm(from, { force: true })
    }

    res.status(204).end()
  })
}
