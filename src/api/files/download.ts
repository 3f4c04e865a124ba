import type { FileHandle } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Express, Request, Response } from 'express'
import { admitsToSpace } from '../../access/reader.ts'
import { roleOnSpace } from '../../access/space-role.ts'
import { spaceRepository } from '../../actions/repositories/space-repository.ts'
import type { Context } from '../../context.ts'
import { Fault, missing } from '../../errors.ts'
import { objectInfo, readBlob } from '../../git/objects/objects.ts'
import type { Repository } from '../../git/process/processes.ts'
import { type Oid, parseOid } from '../../git/values/oid.ts'
import { notModified } from '../../http/conditional.ts'
import { findUser } from '../../store/people/users.ts'
import { findSpace } from '../../store/spaces/spaces.ts'
import type { SpaceRow } from '../../store/tables/rows.ts'
import { admissionOf, isOpen, openFileAddress } from './address.ts'
import { type Part, parseRange } from './range.ts'
import { headLength, servingOf } from './serving.ts'
import { withBlobFile } from './spool.ts'

/** Files up to this size are sent from memory. */
const memoryLimit = 1024 * 1024

type Found = { repo: Repository; oid: Oid; name: string; size: number; isPublic: boolean }

/**
 * Serves files at the URLs that `fileAddresses` creates, without a token. Every use checks again that the URL's user
 * may read the space, or that the site of its readers admits them.
 */
export function serveFiles(app: Express, ctx: Context): void {
  app.get('/files/:spaceId/:oid/:name', async (req, res) => {
    const found = await findFile(ctx, req)
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
      res.status(416).json({ error: { code: 416, message } })
      return
    }
    await send(ctx, req, res, found, part)
  })
}

async function findFile(ctx: Context, { params, query }: Request): Promise<Found> {
  const { spaceId = '', oid: id = '', name = '' } = params as Record<string, string>
  const oid = parseOid(id)
  const address = oid ? openFileAddress(ctx, { spaceId, oid, name }, query) : 'unknown'
  const space = findSpace(ctx.store, spaceId)
  if (!oid || address === 'unknown' || !space || space.deleted_at !== null) throw notThere(name)
  const isPublic = address !== 'over' && address.userId === undefined
  if (address === 'over' || (isPublic && !isOpen(space)))
    throw new Fault('forbidden', 'The URL of this file has expired. Read the file again to get a new one.')
  if (address.userId !== undefined && !mayRead(ctx, space, address.userId)) throw notThere(name)
  const repo = spaceRepository(ctx, space.id)
  const info = (await objectInfo(repo, [oid])).get(oid)
  if (info?.type !== 'blob') throw missing('file', name)
  return { repo, oid, name, size: info.size, isPublic }
}

/** Returns whether the user or the readers of a URL may read a space now. */
function mayRead(ctx: Context, space: SpaceRow, name: string): boolean {
  const admission = admissionOf(name)
  if (admission) return admitsToSpace(ctx, admission, space.id)
  return findUser(ctx.store, name) !== undefined && roleOnSpace(ctx, space, name) !== null
}

const notThere = (name: string) =>
  new Fault(
    'missing',
    `There is no file "${name.slice(0, 100)}" at this URL, or you may no longer read it. Read the file again to get a new URL.`,
  )

/** Sets the headers that apply to a whole, partial or unchanged file. */
function describe(res: Response, { oid, isPublic }: Found): void {
  res.set({
    ETag: `"${oid}"`,
    'Accept-Ranges': 'bytes',
    'Cache-Control': isPublic ? 'public, max-age=3600' : 'private, no-cache',
    // Other sites may embed public files.
    'Referrer-Policy': 'no-referrer',
    'Cross-Origin-Resource-Policy': isPublic ? 'cross-origin' : 'same-site',
  })
}

async function send(
  ctx: Context,
  req: Request,
  res: Response,
  found: Found,
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
  await withBlobFile(ctx, repo, oid, async file => {
    const head = Buffer.alloc(headLength)
    await file.read(head, 0, headLength, 0)
    begin(head)
    if (req.method === 'HEAD') {
      res.end()
      return
    }
    // A client that disconnects during a download is not an error.
    await pipeline(Readable.from(pieces(file, start, end)), res).catch(error => {
      if (!res.destroyed) throw error
    })
  })
}

const pieceLength = 256 * 1024

// A read stream would close the file, which other readers share.
async function* pieces(file: FileHandle, start: number, end: number): AsyncGenerator<Buffer> {
  for (let at = start; at <= end; ) {
    const length = Math.min(pieceLength, end - at + 1)
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(length), 0, length, at)
    if (bytesRead === 0) throw new Error('An unpacked file is shorter than its blob.')
    at += bytesRead
    yield buffer.subarray(0, bytesRead)
  }
}
