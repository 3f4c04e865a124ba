import type { Request, Response } from 'express'
import { stateSlot } from '../../caches.ts'
import type { Context } from '../../context.ts'
import { Fault } from '../../errors.ts'
import { describeError, failureOf } from '../../http/faults.ts'
import { type ReadyAnswer, sendReady } from '../../http/sending/ready-answer.ts'
import { SharedWork } from '../../lib/shared-work.ts'
import { wordsOfFirst } from '../../ui/words/all.ts'
import { acceptedLanguages } from '../sending/accepts.ts'
import { pageHeaders } from '../sending/headers.ts'
import { madeHtml, readyOf } from '../sending/made.ts'
import type { Frame, MessagePage } from '../views/model.ts'
import { renderPage } from '../views/render.tsx'
import { messageOf } from './message.ts'
import { serverFrame } from './server-frame.ts'

const titles: Readonly<Record<number, string>> = {
  401: 'Sign in to read this site',
  404: 'Page not found',
  429: 'Too many requests',
  500: 'This page cannot be shown',
  503: 'Too many readers at once',
}

/** Texts for readers, in place of those for callers of the API and for operators. */
const texts: Readonly<Record<number, string>> = {
  404: 'The address may be mistyped, or the page may have been moved or removed.',
  500: 'Something failed on the server, and it was logged. Try again later.',
}

/** The pages that are being made. A line of requests that is refused at once has one. */
const making = stateSlot(() => new SharedWork<ReadyAnswer>())

/** Answers a request of a browser that failed with a page. Logs errors that are not expected. */
export async function failWithPage(
  ctx: Context,
  req: Request,
  res: Response,
  error: unknown,
): Promise<void> {
  const { status, headers, body, expected, refusal } = failureOf(error)
  const requestId = String(res.locals.requestId)
  if (!expected) ctx.log.error({ id: requestId, err: describeError(error) }, 'request failed')

  const isForVisitors = status === 401 && refusal?.label.startsWith('visitor')
  const isForReaders = isForVisitors || signInIn(error) !== undefined
  const frame = isForReaders ? await readersFrame(ctx, req) : await serverFrame(ctx)
  const said = isForVisitors
    ? { title: frame.words.signInFirst, text: frame.words.signInFirstText }
    : saidOf(error, frame, body.error.message, {
        title: titles[status] ?? 'Something went wrong',
        text: texts[status] ?? body.error.message,
        links: [{ title: 'All sites of this server', href: frame.home }],
      })
  const page = messageOf({ status, ...said, requestId: expected ? undefined : requestId })
  const allHeaders = { ...pageHeaders, ...unkept, ...headers }
  const key = JSON.stringify([frame.lang, page, allHeaders])
  const make = async () => readyOf(madeHtml(renderPage(frame, page), allHeaders, status))

  await sendReady(req, res, await ctx.caches.get(making).join(key, undefined, make))
}

type Said = Pick<MessagePage, 'title' | 'text' | 'links'>

/** Returns what a page says about a failure that leads elsewhere, or `usual` about others. */
function saidOf(error: unknown, { words }: Frame, message: string, usual: Said): Said {
  const [sites, signIn] = [sitesIn(error), signInIn(error)]
  if (signIn !== undefined)
    return {
      title: words.signInToRead,
      text: words.signInToReadText,
      links: [{ title: words.signIn, href: signIn }],
    }
  if (sites === undefined) return usual
  return {
    title: 'The sites of this server are at another address',
    text: message,
    links: [{ title: sites, href: sites }],
  }
}

/** Returns the address of the sign-in, if a request failed that may succeed after one. */
const signInIn = (error: unknown): string | undefined =>
  error instanceof Fault && typeof error.detail?.signIn === 'string'
    ? error.detail.signIn
    : undefined

/** Returns the public URL, if a request failed because its host is another one. */
export const sitesIn = (error: unknown): string | undefined =>
  error instanceof Fault && typeof error.detail?.sites === 'string' ? error.detail.sites : undefined

/** Answers a program that reads pages, texts or feeds, and failed, with a line of text. */
export function failWithText(res: Response, error: Fault): void {
  const { status, headers, body } = failureOf(error)
  res.status(status).set({ ...unkept, ...headers })
  res.type('text/plain').send(`${body.error.message}\n`)
}

/** The headers of answers that neither caches nor search engines keep. */
const unkept = { 'Cache-Control': 'no-store', 'X-Robots-Tag': 'noindex' }

/**
 * Returns the frame of a page that asks readers to sign in, in their language. Its header has no
 * link to the sign-in of members.
 */
async function readersFrame(ctx: Context, { headers }: Request): Promise<Frame> {
  const { words, lang } = wordsOfFirst(acceptedLanguages(headers['accept-language']))
  return { ...(await serverFrame(ctx)), words, lang, header: [] }
}
