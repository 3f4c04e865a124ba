import { createHash } from 'node:crypto'
import type { Request, Response } from 'express'
import { playerHosts } from '../../content/html/players.ts'
import { ReadyAnswer, sendReady } from '../../http/sending/ready-answer.ts'
import { sha256 } from '../../lib/digest.ts'
import { inlineScript } from '../../ui/frame/inline-script.ts'

const scriptHash = createHash('sha256').update(inlineScript).digest('base64')

/**
 * Returns the policy of a page: nothing but what this server sends, besides the images and players
 * that texts of pages show to readers, too. No other page has it in a frame.
 */
const policyOf = (nonce: string | undefined): string =>
  [
    "default-src 'none'",
    `script-src 'self' 'sha256-${scriptHash}'`,
    `style-src 'self'${nonce === undefined ? '' : ` 'nonce-${nonce}'`}`,
    "img-src 'self' data: blob: https:",
    "media-src 'self' https:",
    "font-src 'self'",
    "connect-src 'self'",
    `frame-src 'self' ${playerHosts.map(host => `https://${host}`).join(' ')}`,
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ')

/**
 * The headers of every answer. With "no-referrer", browsers send forms with "Origin: null", so that
 * the origin of a write could not be checked.
 */
export const headers = {
  'Cache-Control': 'private, no-store',
  'X-Robots-Tag': 'noindex',
  'Permissions-Policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Referrer-Policy': 'same-origin',
  Vary: 'Accept-Encoding, Cookie',
} as const

/** Returns whether a script of a page asks, which takes an answer as data. */
export const wantsData = ({ headers }: Pick<Request, 'headers'>): boolean =>
  headers.accept === 'application/json'

/** Sends data to a script of a page. */
export function sendData(res: Response, status: number, value: object): void {
  res.set(headers).status(status).json(value)
}

type Page = {
  status: number
  html: string
  nonce?: string | undefined
  /** Whether a user with a session gets it: search engines have none. */
  isForUser: boolean
}

/** Sends a page, in the encoding that the browser prefers. */
export async function sendHtml(
  req: Request,
  res: Response,
  { status, html, nonce, isForUser }: Page,
): Promise<void> {
  const bytes = Buffer.from(html)
  const { 'X-Robots-Tag': robots, ...others } = headers
  await sendReady(
    req,
    res,
    new ReadyAnswer({
      status,
      etag: sha256(bytes).slice(0, 22),
      type: 'text/html; charset=utf-8',
      bytes,
      headers: {
        ...others,
        ...(!isForUser && { 'X-Robots-Tag': robots }),
        'Content-Security-Policy': policyOf(nonce),
      },
      isEncoded: true,
    }),
  )
}
