import { createHash } from 'node:crypto'
import type { Response } from 'express'
import type { ComponentChildren } from 'preact'
import { renderToStaticMarkup } from 'preact-render-to-string'
import type { Context } from '../context.ts'
import { style } from './style.ts'

/**
 * The policy of every page. Browsers apply `form-action` to the redirect after a form as well,
 * which stays on this server.
 */
const policy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join('; ')

/**
 * Returns the path of the public URL, which the links and forms of pages begin with; '' for the
 * root.
 */
export const basePath = ({ publicUrl }: Pick<Context, 'publicUrl'>): string =>
  new URL(publicUrl()).pathname.replace(/\/$/, '')

export type Page = {
  title: string
  body: ComponentChildren
  /** A wider column, for lists. */
  wide?: boolean
}

/**
 * Sends a static page, which no cache keeps. With "no-referrer", browsers send the forms of a page
 * with "Origin: null", so that the origin of a write could not be checked: other origins get no
 * referrer with "same-origin" either.
 */
export function sendPage(res: Response, status: number, page: Page): void {
  res.set({
    'Cache-Control': 'no-store',
    'Content-Security-Policy': policy,
    'Referrer-Policy': 'same-origin',
  })
  res.status(status).type('html').send(renderPage(page))
}

/** Returns a page as an HTML document. */
function renderPage({ title, body, wide }: Page): string {
  const width = wide ? 'wide' : 'narrow'
  const document = (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{title} – Stemma</title>
        <style dangerouslySetInnerHTML={{ __html: style }} />
      </head>
      <body>
        <div class={`brand ${width}`}>Stemma</div>
        <main class={width}>
          <h1>{title}</h1>
          {body}
        </main>
      </body>
    </html>
  )

  return `<!doctype html>${renderToStaticMarkup(document)}`
}
