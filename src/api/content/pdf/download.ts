import type { Express, Request } from 'express'
import { findActor } from '../../../access/actor.ts'
import { type ReaderGrant, readerGrant } from '../../../access/guards/content.ts'
import { roleOnSpace } from '../../../access/space-role.ts'
import { callerIdOf, openBook } from '../../../actions/audience/open-book.ts'
import { notesHeader, type PrintFile } from '../../../actions/made-files/print-files.ts'
import { findBook } from '../../../actions/print/print-book.ts'
import type { PrintWish } from '../../../actions/print/print-pages.ts'
import { printPdf } from '../../../actions/print/print-pdf.ts'
import { waitForPrint } from '../../../actions/print/wait-for-print.ts'
import { spaceRepository } from '../../../actions/repositories/space-repository.ts'
import { viewRevision } from '../../../actions/revisions/view-revision.ts'
import type { Context } from '../../../context.ts'
import { Fault } from '../../../errors.ts'
import { sendPdf } from '../../../files/send-pdf.ts'
import { abortSignalOf } from '../../../http/abort-signal.ts'
import { type Oid, parseOid } from '../../../lib/oid.ts'
import { findUser } from '../../../store/people/users.ts'
import { findSpace } from '../../../store/spaces/spaces.ts'
import type { SpaceRow } from '../../../store/tables/rows.ts'
import { openPrintAddress } from './address.ts'

/** Serves PDFs at the signed addresses of `printAddress`, without an authorization header. */
export function servePrints(app: Express, ctx: Context): void {
  app.get('/pdf/:spaceId/:revision/:name', async (req, res) => {
    const { print, name, until, userId } = await openPrint(ctx, req, abortSignalOf(res))
    res.locals.userId = userId
    const seconds = Math.max(0, Math.floor(until - ctx.store.time / 1000))
    await sendPdf(req, res, {
      path: print.path,
      name,
      headers: { ...notesHeader(print), 'Cache-Control': `private, max-age=${seconds}` },
    })
  })
}

type Opened = { print: PrintFile; name: string; until: number; userId: string | undefined }

/**
 * Returns the PDF at an address, and makes it if necessary. Throws 'missing' for an expired or
 * invalid address.
 */
async function openPrint(
  ctx: Context,
  { params, query }: Request,
  gone: AbortSignal,
): Promise<Opened> {
  const { spaceId = '', revision = '', name = '' } = params as Record<string, string>
  const oid = parseOid(revision)
  const opened = oid ? openPrintAddress(ctx, { spaceId, revision, name }, query) : 'unknown'
  if (opened === 'over')
    throw new Fault(
      'pdf_expired',
      'The address of this PDF expired after an hour. Request a new one.',
    )
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
  const print = await waitForPrint(printPdf(ctx, book, userId, gone))

  findReadable(ctx, spaceId, userId)

  return { print, name, until, userId }
}

type ReaderPrint = { spaceId: string; oid: Oid; authorization: string }

/**
 * Returns the PDF for the reader that a token identifies now, as long as the revision is the
 * published one.
 */
async function printForReader(
  ctx: Context,
  asked: ReaderPrint,
  wish: PrintWish,
  gone: AbortSignal,
): Promise<PrintFile> {
  const granted = grantOf(ctx, asked)
  const { book } = await openBook(ctx, granted, wish)
  const print = await waitForPrint(printPdf(ctx, book, callerIdOf(granted), gone))
  grantOf(ctx, asked)
  return print
}

/**
 * Returns the grant of the reader. Called before and after printing, as access may end in between.
 */
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

/**
 * Returns the space if the user may still read it. Called before and after printing, as access may
 * end in between.
 */
function findReadable(ctx: Context, spaceId: string, userId: string): SpaceRow {
  const space = findSpace(ctx.store, spaceId)
  if (!space || space.deleted_at !== null) throw notThere()
  if (!findUser(ctx.store, userId) || !roleOnSpace(ctx, space, userId)) throw notThere()
  return space
}

const notThere = () =>
  new Fault('not_found', 'There is no PDF at this address. Request a new address.')
