import { createHash } from 'node:crypto'
import type { Response } from 'express'

const style =
  'body{font:16px/1.5 system-ui,sans-serif;margin:15vh auto;max-width:32rem;padding:0 1rem}code{display:block;padding:.75rem;border:1px solid;overflow-wrap:anywhere}small{opacity:.7}'

const policy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'none'",
].join('; ')

const escaped = (text: string): string =>
  text.replace(/[&<>"']/g, character => `&#${character.charCodeAt(0)};`)

/** What a page shows: a title, a sentence, a code to copy, and the id of the request for the operator. */
export type Page = { title: string; sentence: string; code?: string; requestId?: string }

/** Sends a static page without scripts, which no cache keeps. */
export function sendPage(res: Response, status: number, { title, sentence, code, requestId }: Page): void {
  const parts = [
    `<h1>${escaped(title)}</h1>`,
    `<p>${escaped(sentence)}</p>`,
    ...(code === undefined ? [] : [`<code>${escaped(code)}</code>`]),
    ...(requestId === undefined ? [] : [`<p><small>Request ${escaped(requestId)}</small></p>`]),
  ]
  res.set({ 'Cache-Control': 'no-store', 'Content-Security-Policy': policy })
  res
    .status(status)
    .type('html')
    .send(
      `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escaped(title)}</title><style>${style}</style></head><body>${parts.join('')}</body></html>`,
    )
}
