import type { Express, Request, RequestHandler, Response } from 'express'
import { cacheSlot } from '../../caches.ts'
import { contentTypeOf } from '../../content/media.ts'
import { findPageByPath } from '../../content/tree/find-page.ts'
import type { Context } from '../../context.ts'
import { abortSignalOf } from '../../http/abort-signal.ts'
import type { ServerDocument } from '../../http/document/kept-document.ts'
import { type Admission, applicantOf } from '../../http/limits/admission.ts'
import { clientAddress } from '../../http/limits/client-address.ts'
import { ReadyAnswer, sendReady } from '../../http/sending/ready-answer.ts'
import { sha256 } from '../../lib/digest.ts'
import { redirect } from '../../ui/serving/redirect.ts'
import { wordsOf } from '../../ui/words/all.ts'
import { documentOf } from '../place/order.ts'
import { pageHeaders } from '../sending/headers.ts'
import { madeHtml, madeText, readyOf, type SiteResponse } from '../sending/made.ts'
import { renderNav, renderPage } from '../views/render.tsx'
import { manualFolder, pagePath } from './addresses.ts'
import { answerSearch } from './answer-search.ts'
import { articleIn } from './article.ts'
import type { Book } from './book.ts'
import { bookFrame, navBelowIn } from './frame.ts'
import { nothingThere } from './nothing-there.ts'
import { type Books, openBooks } from './open-books.ts'
import { sendSession } from './send-session.ts'

/** The pages of the books, by path: the same for everybody. */
const pages = cacheSlot<ReadyAnswer>('manual')

/** An answer, or where the browser is sent. */
type Answered = SiteResponse | ReadyAnswer | { redirect: string }

/** The headers of a page, which no other page may frame: it can call the API with a session. */
const bookHeaders = {
  ...pageHeaders,
  'Content-Security-Policy': pageHeaders['Content-Security-Policy'].replace(
    "frame-ancestors 'self'",
    "frame-ancestors 'none'",
  ),
  'Referrer-Policy': 'no-referrer',
}

const checkedAgain = { 'Cache-Control': 'public, max-age=0, must-revalidate' } as const

/**
 * Serves the reference of the API at `/docs`, and the manual below `/docs/manual`: the pages that this
 * version of the program brings along, without a space or a site.
 */
export function serveManual(
  app: Express,
  ctx: Context,
  { documentOf, admission }: { documentOf: ServerDocument; admission: Admission },
): void {
  const handler: RequestHandler = async (req, res, next) => {
    const path = pathOf(req)
    if (path === undefined) return next()
    if (path === '~session') return sendSession(ctx, req, res)
    const known = ctx.caches.get(pages).get(keyOf(ctx, path))
    if (known) return sendReady(req, res, known)

    const books = await openBooks(ctx, documentOf)
    const found = path === '~search' ? undefined : await answer(ctx, books, path)
    if (found && 'redirect' in found) return redirect(res, found.redirect, 302)
    if (found) {
      const ready = found instanceof ReadyAnswer ? found : readyOf(withHeaders(found))
      keep(ctx, path, ready)
      return sendReady(req, res, ready)
    }

    const searched = await searching(req, res, async () =>
      path === '~search' ? answerSearch(ctx, books, req) : nothingThere(ctx, books, path),
    )
    await sendReady(req, res, readyOf(withHeaders(searched)))
  }

  const searching = (req: Request, res: Response, work: () => Promise<SiteResponse>) => {
    const client = clientAddress(req, ctx.config.trustProxy)
    const applicant = applicantOf({ type: 'anonymous' }, client)
    return admission.run(applicant, abortSignalOf(res), work)
  }

  app.get(/^\/docs(?:\/|$)/, handler)
}

/** Returns the decoded path of a request below `/docs/`; undefined for a malformed one. */
function pathOf({ path }: Request): string | undefined {
  try {
    return decodeURIComponent(path.slice('/docs/'.length))
  } catch {
    return undefined
  }
}

const keyOf = (ctx: Context, path: string): string => `${ctx.publicUrl()} ${path}`

function keep(ctx: Context, path: string, ready: ReadyAnswer): void {
  const cache = ctx.caches.get(pages)
  const key = keyOf(ctx, path)
  cache.set(key, ready, ready.weight)
  ready.onWeight = () => cache.reweigh(key, ready, ready.weight)
}

const withHeaders = (made: SiteResponse): SiteResponse => ({
  ...made,
  headers: { ...bookHeaders, ...checkedAgain, ...made.headers },
})

/** Returns the answer of a path; undefined if nothing is there. */
async function answer(ctx: Context, books: Books, path: string): Promise<Answered | undefined> {
  const [, name, rest = ''] = /^~nav\/(\w+)\/(.+)$/.exec(path) ?? []
  if (name !== undefined) return listBelow(ctx, [books.reference, books.manual], name, rest)

  const isManual = books.manual && `${path}/`.startsWith(manualFolder)
  const book = isManual ? books.manual! : books.reference
  const within = isManual ? path.slice(manualFolder.length) : path
  const file = fileAnswer(book, within)
  if (file) return file

  const isMarkdown = within.endsWith('.md')
  const found = findPageByPath(book.content, within)
  const node = found && documentOf(found)
  if (!node) return otherAddress(ctx, book, within)
  if (isMarkdown) return madeText(book.textOf(node).text, 'text/markdown')

  const address = pagePath(ctx, book, node)
  const isThere = decodeURIComponent(address).endsWith(`/docs/${path}`)
  // The first pages have their address without a slash at the end as well.
  if (!isThere && within !== '') return { redirect: address }
  const frame = await bookFrame(ctx, books, book)
  return madeHtml(renderPage(frame, await articleIn(ctx, book, node, frame)))
}

/** Returns the list of the pages below one, which an opened entry of the list fetches. */
function listBelow(
  ctx: Context,
  books: readonly (Book | undefined)[],
  name: string,
  path: string,
): SiteResponse | undefined {
  const book = books.find(each => each?.name === name)
  const node = book && findPageByPath(book.content, path)
  return book && node && madeHtml(renderNav(wordsOf('en'), navBelowIn(ctx, book, node)))
}

/** Returns an image or another file that pages show. Opened alone, it runs no script. */
function fileAnswer({ content, files }: Book, path: string): ReadyAnswer | undefined {
  const bytes = content.fileByPath.get(path) && files.get(path)
  if (!bytes) return undefined
  return new ReadyAnswer({
    status: 200,
    etag: sha256(bytes).slice(0, 22),
    type: contentTypeOf(path),
    bytes: Buffer.from(bytes),
    headers: {
      ...checkedAgain,
      'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
    },
  })
}

/**
 * Returns the address of the page that a path names in another way: by the id of its operation, as in
 * `/docs/getSpaceById`, or by its file, as in `/docs/manual/git`.
 */
function otherAddress(ctx: Context, book: Book, path: string): Answered | undefined {
  const { pageByFile } = book.content
  const node = book.pageOfOperation.get(path.toLowerCase()) ?? pageByFile.get(`${path}.md`)
  return node && { redirect: pagePath(ctx, book, node) }
}
