import { type FileHandle, open } from 'node:fs/promises'
import { basename } from 'node:path'
import type { Request, Response } from 'express'
import { Fault } from '../errors.ts'
import { notModified } from '../http/conditional.ts'
import { failureOf } from '../http/faults.ts'
import { parseRange } from './range.ts'
import { sendPart } from './send-part.ts'
import { fileNames } from './serving.ts'

/** A PDF on disk, whose file is named by a digest of what it shows. */
type FoundPdf = {
  path: string
  /** The name under which browsers save it. */
  name: string
  headers: Readonly<Record<string, string>>
}

/** Answers a request with a PDF, a part of it, or 304. */
export async function sendPdf(
  req: Request,
  res: Response,
  { path, name, headers }: FoundPdf,
): Promise<void> {
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
  const file = await open(path)

  try {
    await send(req, res, file, asked)
  } finally {
    await file.close()
  }
}

async function send(
  req: Request,
  res: Response,
  file: FileHandle,
  range: string | undefined,
): Promise<void> {
  const { size } = await file.stat()
  const part = parseRange(range, size)
  if (part === 'unsatisfiable') {
    res.setHeader('Content-Range', `bytes */${size}`)
    const message = `The PDF has ${size} bytes. Request a single range, such as "bytes=0-99", or the whole file.`
    res.status(416).json(failureOf(new Fault('range_not_satisfiable', message)).body)
    return
  }

  const { start, end } = part ?? { start: 0, end: size - 1 }

  res.status(part ? 206 : 200).set({
    'Content-Length': String(end - start + 1),
    ...(part && { 'Content-Range': `bytes ${start}-${end}/${size}` }),
  })
  if (req.method === 'HEAD') res.end()
  else await sendPart(res, file, { start, end })
}
