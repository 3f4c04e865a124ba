import { open } from 'node:fs/promises'
import type { Express, Request } from 'express'
import { openShown, openUpload } from '../../../actions/uploads/keep-upload.ts'
import { receiveUpload, wrongLength } from '../../../actions/uploads/receive-upload.ts'
import type { Context } from '../../../context.ts'
import { missing } from '../../../errors.ts'
import { sendPart } from '../../../files/send-part.ts'
import { headLength, servingOf } from '../../../files/serving.ts'
import { checkWritable } from '../../../http/limits/check-writable.ts'
import { bodyChunks, checkNotPacked } from '../../../http/receiving/body-chunks.ts'
import { hasBody } from '../../../http/receiving/read-body.ts'

const path = '/uploads/'

/** Returns whether a URL takes the bytes of a file, which may come for minutes. */
export const isUpload = (url: string): boolean => /^\/uploads\/[^/?]+\?signature=/.test(url)

/**
 * Takes the bytes of files at the addresses that `generateStorageUploadURL` gives out, without a
 * token. No byte is read before the address is found to be good. Other addresses show a file that
 * no edit has used yet.
 */
export function serveUploads(app: Express, ctx: Context): void {
  app.put(`${path}:id`, async (req, res) => {
    const row = openUpload(ctx, req.params.id, req.query.signature)
    checkWritable(ctx.config)
    checkHead(req, row.size)
    await receiveUpload(ctx, row, bodyChunks(req, res))
    res.status(204).end()
  })

  app.get(`${path}:id`, async (req, res) => {
    const { row, path: file } = await openShown(ctx, req.params.id, req.query.signature)
    const handle = await open(file).catch(() => undefined)
    if (!handle) throw missing('upload', row.id)
    try {
      const head = Buffer.alloc(headLength)
      await handle.read(head, 0, headLength, 0)
      const { type, disposition, policy } = servingOf(row.name, head)
      res.set({
        'Content-Type': type,
        'Content-Disposition': disposition,
        'Content-Security-Policy': policy,
        'Content-Length': String(row.size),
        'Cache-Control': 'private, no-cache',
        'Referrer-Policy': 'no-referrer',
        'Cross-Origin-Resource-Policy': 'same-site',
      })
      await sendPart(res, handle, { start: 0, end: row.size - 1 })
    } finally {
      await handle.close()
    }
  })
}

/** Refuses a body of another length before its bytes arrive. */
function checkHead(req: Request, size: number): void {
  checkNotPacked(req)
  const length = req.headers['content-length']
  if (!hasBody(req) || (length !== undefined && Number(length) !== size)) throw wrongLength(size)
}
