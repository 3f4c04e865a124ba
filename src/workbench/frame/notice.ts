import type { Request, Response } from 'express'
import type { Context } from '../../context.ts'
import { cookiesNamed, isSecure } from '../../http/browser-session.ts'
import { addressIn } from '../parts/surroundings.ts'

/** The cookie with the sentence that the page after a form says, once. */
const name = 'stemma-notice'

/** How long it may take to the next page, in seconds. */
const seconds = 60

/** The longest sentence: a cookie has room for 4,096 bytes. */
const longest = 500

const attributes = (ctx: Context, base: string): string =>
  `Path=${addressIn(base, '')}; HttpOnly; SameSite=Lax${isSecure(ctx) ? '; Secure' : ''}`

/** Lets the next page say a sentence. */
export function keepNotice(ctx: Context, base: string, res: Response, notice: string): void {
  const value = Buffer.from(notice.slice(0, longest)).toString('base64url')
  res.append('Set-Cookie', `${name}=${value}; Max-Age=${seconds}; ${attributes(ctx, base)}`)
}

/** Returns the sentence that the form before left, and makes the browser forget it. */
export function takeNotice(
  ctx: Context,
  base: string,
  req: Request,
  res: Response,
): string | undefined {
  const [value] = cookiesNamed(req, name)
  if (value === undefined) return undefined
  res.append('Set-Cookie', `${name}=; Max-Age=0; ${attributes(ctx, base)}`)
  const text = Buffer.from(value, 'base64url').toString().slice(0, longest)
  return text.trim() === '' ? undefined : text
}
