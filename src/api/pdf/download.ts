import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { setTimeout } from 'node:timers/promises'
import type { Express, Request, Response } from 'express'
import { roleOnSpace } from '../../access/guards/space.ts'
import { findBook } from '../../actions/print/print-book.ts'
import type { PrintFile } from '../../actions/print/print-files.ts'
import { printPdf } from '../../actions/print/print-pdf.ts'
import { spaceRepository } from '../../actions/repositories/space-repository.ts'
import { viewRevision } from '../../actions/revisions/view-revision.ts'
import type { Context } from '../../context.ts'
import { Fault } from '../../errors.ts'
import { parseOid } from '../../git/values/oid.ts'
import { notModified } from '../../http/conditional.ts'
import { goneOf } from '../../http/gone.ts'
import { findUser } from '../../store/people/users.ts'
import { findSpace } from '../../store/spaces/spaces.ts'
import type { SpaceRow } from '../../store/tables/rows.ts'
import { parseRange } from '../files/range.ts'
import { fileNames } from '../files/serving.ts'
import { openPrintAddress } from './address.ts'

/** A proxy gives up an answer that does not begin after a while; one that waits longer is told to come again. */
const longestWait = 50_000

/** Serves PDFs at the addresses that `printAddress` makes: whoever has one needs no header. */
export function servePrints(app: Express, ctx: Context): void {
  app.get('/pdf/:spaceId/:revision/:name', async (req, res) => {
    const { print, name, until, userId } = await openPrint(ctx, req, goneOf(res))
    res.locals.userId = userId
    const etag = basename(print.path, '.pdf')
    describe(res, { print, name, until, etag })
    if (notModified(req.headers['if-none-match'], etag)) {
      res.status(304).end()
      return
    }
    const ifRange = req.headers['if-range']
    const asked = ifRange === undefined || ifRange === `"${etag}"` ? req.headers.range : undefined
    await send(req, res, print.path, asked)
  })
}

type Opened = { print: PrintFile; name: string; until: number; userId: string }

/** What is at an address, made if need be. Throws 'missing' for what no longer is, or never was, an address of ours. */
async function openPrint(ctx: Context, { params, query }: Request, gone: AbortSignal): Promise<Opened> {
  const { spaceId = '', revision = '', name = '' } = params as Record<string, string>
  const oid = parseOid(revision)
  const opened = oid ? openPrintAddress(ctx, { spaceId, revision, name }, query) : 'unknown'
  if (opened === 'over')
    throw new Fault('missing', 'The address of this PDF has expired after an hour: ask for a new one.')
  if (!oid || opened === 'unknown') throw notThere()
  const { userId, wish } = opened.printable
  const space = findReadable(ctx, spaceId, userId)
  const view = await viewRevision(ctx, space.id, oid)
  const book = await findBook(ctx, { space, repo: spaceRepository(ctx, space.id), view }, wish)
  const print = await waitFor(printPdf(ctx, book, userId, gone))
  findReadable(ctx, spaceId, userId)
  return { print, name, until: opened.until, userId }
}

/** The space, as long as whoever asked for the PDF may read it: the right may be lost since, and while it is made. */
function findReadable(ctx: Context, spaceId: string, userId: string): SpaceRow {
  const space = findSpace(ctx.store, spaceId)
  if (!space || space.deleted_at !== null) throw notThere()
  if (!findUser(ctx.store, userId) || !roleOnSpace(ctx, space, userId)) throw notThere()
  return space
}

const notThere = () =>
  new Fault('missing', 'There is no PDF at this address: ask for it again to get a new address.')

async function waitFor(run: Promise<PrintFile>): Promise<PrintFile> {
  const stop = new AbortController()
  const late = setTimeout(longestWait, undefined, { signal: stop.signal, ref: false }).catch(() => undefined)
  try {
    const print = await Promise.race([run, late])
    if (print) return print
  } finally {
    stop.abort()
  }
  throw new Fault('unavailable', 'The PDF is still being made. Open this address again in a minute.')
}

function describe(
  res: Response,
  { print, name, until, etag }: Omit<Opened, 'userId'> & { etag: string },
): void {
  const seconds = Math.max(0, Math.floor(until - Date.now() / 1000))
  res.set({
    ETag: `"${etag}"`,
    'Accept-Ranges': 'bytes',
    'Cache-Control': `private, max-age=${seconds}`,
    'Content-Type': 'application/pdf',
    'Content-Disposition': `inline; ${fileNames(name)}`,
    'Cross-Origin-Resource-Policy': 'same-site',
    // Without "default-src": viewers of PDFs in browsers obey it for themselves.
    'Content-Security-Policy': "frame-ancestors 'none'",
    'X-Robots-Tag': 'noindex',
    ...(print.notes.length > 0 && { 'X-Print-Notes': print.notes.join(' ') }),
  })
}

async function send(req: Request, res: Response, path: string, range: string | undefined): Promise<void> {
  const { size } = await stat(path)
  const part = parseRange(range, size)
  if (part === 'unsatisfiable') {
    res.setHeader('Content-Range', `bytes */${size}`)
    const message = `The PDF has ${size} bytes; ask for one part of it, such as "bytes=0-99", or for all of it.`
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
  // Whoever goes away in the middle of a download is no error of ours.
  await pipeline(createReadStream(path, { start, end }), res).catch(error => {
    if (!res.destroyed) throw error
  })
}
