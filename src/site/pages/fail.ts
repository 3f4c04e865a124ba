import type { Request, Response } from 'express'
import type { Context } from '../../context.ts'
import type { Fault } from '../../errors.ts'
import { failureOf } from '../../http/faults.ts'
import { pageHeaders } from '../sending/headers.ts'
import { madeHtml } from '../sending/made.ts'
import { pack, sendPacked } from '../sending/send.ts'
import { renderPage } from '../views/render.tsx'
import { messageOf } from './message.ts'
import { serverFrame } from './server-frame.ts'

const titles: Readonly<Record<number, string>> = {
  401: 'Sign in to read this site',
  404: 'There is nothing here',
  429: 'Too many requests',
}

/** Answers a request of a browser that failed with a page. */
export async function failWithPage(ctx: Context, req: Request, res: Response, error: Fault): Promise<void> {
  const { status, body } = failureOf(error)
  const frame = await serverFrame(ctx)
  const text =
    status === 404
      ? 'The address may be mistyped, or the page may have been moved or removed.'
      : body.error.message
  const page = messageOf({
    status,
    title: titles[status] ?? 'This did not work',
    text,
    links: [{ title: 'All sites of this server', href: frame.home }],
  })
  const retryAfter = error.refusal?.retryAfter
  const headers = {
    ...pageHeaders,
    'Cache-Control': 'no-store',
    'X-Robots-Tag': 'noindex',
    ...(retryAfter !== undefined && { 'Retry-After': String(retryAfter) }),
  }
  await sendPacked(req, res, await pack(madeHtml(renderPage(frame, page), headers, status)))
}
