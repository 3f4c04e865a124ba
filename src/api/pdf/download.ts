import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { setTimeout } from 'node:timers/promises'
import type { Express, Request, Response } from 'express'
import { findActor } from '../../access/actor.ts'
import { type ReaderGrant, readerGrant } from '../../access/guards/content.ts'
import { roleOnSpace } from '../../access/space-role.ts'
import { findBook } from '../../actions/print/print-book.ts'
import type { PrintFile } from '../../actions/print/print-files.ts'
import type { PrintWish } from '../../actions/print/print-pages.ts'
import { printPdf } from '../../actions/print/print-pdf.ts'
import { spaceRepository } from '../../actions/repositories/space-repository.ts'
import { viewRevision } from '../../actions/revisions/view-revision.ts'
import type { Context } from '../../context.ts'
import { Fault } from '../../errors.ts'
import { parseRange } from '../../files/range.ts'
import { fileNames } from '../../files/serving.ts'
import { parseOid } from '../../git/values/oid.ts'
import { abortSignalOf } from '../../http/abort-signal.ts'
import { notModified } from '../../http/conditional.ts'
import { findUser } from '../../store/people/users.ts'
import { findSpace } from '../../store/spaces/spaces.ts'
import type { SpaceRow } from '../../store/tables/rows.ts'
import { openPrintAddress } from './address.ts'
import { callerIdOf, openBook } from './book.ts'

/** The longest wait for a PDF, in milliseconds, before the client is asked to retry. Proxies close slow requests. */
const longestWait = 50_000

/** Serves PDFs at the signed addresses of `printAddress`, without an authorization header. */
export function servePrints(app: Express, ctx: Context): void {
  app.get('/pdf/:spaceId/:revision/:name', async (req, res) => {
    const { print, name, until, userId } = await openPrint(ctx, req, abortSignalOf(res))
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

type Opened = { print: PrintFile; name: string; until: number; userId: string | undefined }

/** Returns the PDF at an address, and makes it if necessary. Throws 'missing' for an expired or invalid address. */
async function openPrint(ctx: Context, { params, query }: Request, gone: AbortSignal): Promise<Opened> {
  const { spaceId = '', revision = '', name = '' } = params as Record<string, string>
  const oid = parseOid(revision)
  const opened = oid ? openPrintAddress(ctx, { spaceId, revision, name }, query) : 'unknown'
  if (opened === 'over')
    throw new Fault('missing', 'The address of this PDF expired after an hour. Request a new one.')
  if (!oid || opened === 'unknown') throw notThere()
  const { caller, wish } = opened.printable
  const { until } = opened
  if ('authorization' in caller) {
    const reader = { spaceId, oid, authorization: caller.authorization }
    return { print: await printForReader(ctx, reader, wish, gone), name, until, userId: undefined }
  }
  const { userId } = caller
  const space = findReadable(ctx, spaceId, userId)
  const view = await viewRevision(ctx, space.id, oid)
  const book = await findBook(ctx, { space, repo: spaceRepository(ctx, space.id), view }, wish)
  const print = await waitFor(printPdf(ctx, book, userId, gone))
  findReadable(ctx, spaceId, userId)
  return { print, name, until, userId }
}

type ReaderPrint = { spaceId: string; oid: string; authorization: string }

/** Returns the PDF for the reader that a token identifies now, as long as the revision is the published one. */
async function printForReader(
  ctx: Context,
  asked: ReaderPrint,
  wish: PrintWish,
  gone: AbortSignal,
): Promise<PrintFile> {
  const granted = grantOf(ctx, asked)
  const { book } = await openBook(ctx, granted, wish)
  const print = await waitFor(printPdf(ctx, book, callerIdOf(granted), gone))
  grantOf(ctx, asked)
  return print
}

/** Returns the grant of the reader. Called before and after printing, as access may end in between. */
function grantOf(ctx: Context, { spaceId, oid, authorization }: ReaderPrint): ReaderGrant {
  let granted: ReaderGrant | undefined
  try {
    const actor = findActor(ctx, authorization)
    granted = readerGrant({ ctx, actor, params: { spaceId } }, { kind: 'revision', oid })
  } catch (error) {
    if (!(error instanceof Fault)) throw error
  }
  if (!granted) throw notThere()
  return granted
}

/** Returns the space if the user may still read it. Called before and after printing, as access may end in between. */
function findReadable(ctx: Context, spaceId: string, userId: string): SpaceRow {
  const space = findSpace(ctx.store, spaceId)
  if (!space || space.deleted_at !== null) throw notThere()
  if (!findUser(ctx.store, userId) || !roleOnSpace(ctx, space, userId)) throw notThere()
  return space
}

const notThere = () => new Fault('missing', 'There is no PDF at this address. Request a new address.')

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
    // Without "default-src": the PDF viewers of browsers apply it to themselves.
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
