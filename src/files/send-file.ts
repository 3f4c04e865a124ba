import type { Request, Response } from 'express'
import type { Context } from '../context.ts'
import { Fault, missing } from '../errors.ts'
import { readBlob } from '../git/objects/objects.ts'
import type { Repository } from '../git/process/processes.ts'
import { notModified } from '../http/conditional.ts'
import { failureOf } from '../http/faults.ts'
import type { Oid } from '../lib/oid.ts'
import { type Part, parseRange } from './range.ts'
import { sendPart } from './send-part.ts'
import { headLength, servingOf } from './serving.ts'
import { withBlobFile } from './spool.ts'

/** Files up to this size are sent from memory. */
const memoryLimit = 64 * 1024

/** A blob that a caller may read. */
export type FoundFile = {
  repo: Repository
  oid: Oid
  name: string
  /** In bytes. */
  size: number
  /** The headers of a whole, partial or unchanged file besides its ETag. */
  headers: Readonly<Record<string, string>>
}

/** Answers a request with a file, a part of it, or 304. */
export async function sendFile(
  ctx: Context,
  req: Request,
  res: Response,
  found: FoundFile,
): Promise<void> {
  const { oid, size } = found
  if (notModified(req.headers['if-none-match'], oid)) {
    describe(res, found)
    res.status(304).end()
    return
  }

  const ifRange = req.headers['if-range']
  const asked = ifRange === undefined || ifRange === `"${oid}"` ? req.headers.range : undefined
  const part = parseRange(asked, size)

  if (part === 'unsatisfiable') {
    res.setHeader('Content-Range', `bytes */${size}`)
    const message = `The file has ${size} bytes. Request a single range in it, such as "bytes=0-99", or the whole file.`
    res.status(416).json(failureOf(new Fault('range_not_satisfiable', message)).body)
    return
  }

  await send(ctx, req, res, found, part)
}

function describe(res: Response, { oid, headers }: FoundFile): void {
  res.set({ ETag: `"${oid}"`, 'Accept-Ranges': 'bytes', ...headers })
}

async function send(
  ctx: Context,
  req: Request,
  res: Response,
  found: FoundFile,
  part: Part | undefined,
): Promise<void> {
  const { repo, oid, name, size } = found
  const { start, end } = part ?? { start: 0, end: size - 1 }
  const begin = (head: Uint8Array) => {
    const { type, disposition, policy } = servingOf(name, head)
    describe(res, found)
    res.status(part ? 206 : 200).set({
      'Content-Type': type,
      'Content-Disposition': disposition,
      'Content-Security-Policy': policy,
      'Content-Length': String(end - start + 1),
      ...(part && { 'Content-Range': `bytes ${start}-${end}/${size}` }),
    })
  }

  if (size <= memoryLimit) {
    const bytes = await readBlob(repo, oid)
    if (!bytes) throw missing('file', name)
    begin(bytes.subarray(0, headLength))
    res.end(req.method === 'HEAD' ? undefined : bytes.subarray(start, end + 1))
    return
  }

  await withBlobFile(ctx, repo, { oid, size }, async file => {
    const head = Buffer.alloc(headLength)
    await file.read(head, 0, headLength, 0)
    begin(head)
    if (req.method === 'HEAD') res.end()
    else await sendPart(res, file, { start, end })
  })
}
