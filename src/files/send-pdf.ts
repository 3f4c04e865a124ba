import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { Request, Response } from 'express'
import { notModified } from '../http/conditional.ts'
import { parseRange } from './range.ts'
import { fileNames } from './serving.ts'

/** A PDF on disk, whose file is named by a digest of what it shows. */
export type FoundPdf = {
  path: string
  /** The name under which browsers save it. */
  name: string
  headers: Readonly<Record<string, string>>
}

/** Answers a request with a PDF, a part of it, or 304. */
export async function sendPdf(req: Request, res: Response, { path, name, headers }: FoundPdf): Promise<void> {
  const etag = basename(path, '.pdf')
  res.set({
    ETag: `"${etag}"`,
    'Accept-Ranges': 'bytes',
    'Content-Type': 'application/pdf',
    'Content-Disposition': `inline; ${fileNames(name)}`,
    'Cross-Origin-Resource-Policy': 'same-site',
    // Without "default-src": the PDF viewers of browsers apply it to themselves.
    'Content-Security-Policy': "frame-ancestors 'none'",
    'X-Robots-Tag': 'noindex',
    ...headers,
  })
  if (notModified(req.headers['if-none-match'], etag)) {
    res.status(304).end()
    return
  }
  const ifRange = req.headers['if-range']
  const asked = ifRange === undefined || ifRange === `"${etag}"` ? req.headers.range : undefined
  await send(req, res, path, asked)
}

async function send(req: Request, res: Response, path: string, range: string | undefined): Promise<void> {
  const { size } = await stat(path)
  const part = parseRange(range, size)
  if (part === 'unsatisfiable') {
    res.setHeader('Content-Range', `bytes */${size}`)
    const message = `The PDF has ${size} bytes. Request a single range, such as "bytes=0-99", or the whole file.`
    res.status(416).json({ error: { code: 416, message } })
    return
  }
  const { start, end } = part ?? { start: 0, end: size - 1 }
  res.status(part ? 206 : 200).set({
    'Content-Length': String(end - start + 1),
    ...(part && { 'Content-Range': `bytes ${start}-${end}/${size}` }),
  })
  if (req.method === 'HEAD') {
    res.end()
    return
  }
  // A client that closes the connection during the download is not an error.
  await pipeline(createReadStream(path, { start, end }), res).catch(error => {
    if (!res.destroyed) throw error
  })
}
