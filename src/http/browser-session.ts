import { createHmac, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Request, Response } from 'express'
import { findSessionUser, type SessionUser } from '../access/session.ts'
import type { Context } from '../context.ts'
import { Fault } from '../errors.ts'
import { clientAddress } from './limits/client-address.ts'
import { countedAs, type Throttles, whoseOf } from './limits/throttles.ts'

/**
 * A user whom the cookie of a browser session identifies. The API takes the cookie only with the
 * token against forged requests in a header; see `findCaller`.
 */
export type BrowserUser = SessionUser & {
  /** The token that every form of a page sends back in the field "csrf". */
  csrfToken: string
}

/**
 * Returns whether browsers reach the server over https: only then do they keep cookies that are
 * "Secure".
 */
export const isSecure = ({ publicUrl }: Context): boolean => publicUrl().startsWith('https:')

/**
 * Browsers accept "__Host-" over https alone, and then only from this host itself, for all paths.
 */
const cookieName = (ctx: Context): string =>
  isSecure(ctx) ? '__Host-stemma-session' : 'stemma-session'

const attributes = (ctx: Context): string =>
  `Path=/; HttpOnly; SameSite=Lax${isSecure(ctx) ? '; Secure' : ''}`

/** Hands the secret of a new session to the browser, which keeps it until it is closed. */
export const setSessionCookie = (ctx: Context, res: Response, secret: string): void =>
  void res.append('Set-Cookie', `${cookieName(ctx)}=${secret}; ${attributes(ctx)}`)

/** Makes the browser forget the secret of its session. */
export const clearSessionCookie = (ctx: Context, res: Response): void =>
  void res.append('Set-Cookie', `${cookieName(ctx)}=; Max-Age=0; ${attributes(ctx)}`)

/**
 * Returns the user who is signed in with the browser of a request; undefined for none. The actor is
 * one that a Bearer token would identify: pass it to `admitToken` before it reads or writes
 * anything. Throws 'too_many' above the rate limit of the user.
 */
export function signedInUser(
  ctx: Context,
  throttles: Throttles,
  req: Request,
  res: Response,
): BrowserUser | undefined {
  const found = sessionOf(ctx, req)
  if (!found) return undefined
  const { actor } = found
  throttles.check(countedAs(whoseOf(actor), clientAddress(req, ctx.config.trustProxy)))
  Object.assign(res.locals, { userId: actor.user.id, tokenId: actor.token.id })
  return found
}

/** Returns the user whose session a browser has; undefined for none. Counts no request. */
export function sessionOf(
  ctx: Context,
  req: Pick<IncomingMessage, 'headers'>,
): BrowserUser | undefined {
  const secret = readSecretCookie(req, cookieName(ctx))
  const found = secret === undefined ? undefined : findSessionUser(ctx, secret)
  return found && secret !== undefined ? { ...found, csrfToken: csrfTokenOf(secret) } : undefined
}

/**
 * Returns the secret of 32 bytes that a cookie holds; undefined unless there is exactly one cookie
 * of that name.
 */
export function readSecretCookie(
  req: Pick<IncomingMessage, 'headers'>,
  name: string,
): string | undefined {
  const [secret = '', ...others] = cookiesNamed(req, name)
  return others.length === 0 && /^[\w-]{43}$/.test(secret) ? secret : undefined
}

/** Returns the values of the cookies of a name, in the order in which the browser sent them. */
export const cookiesNamed = (req: Pick<IncomingMessage, 'headers'>, name: string): string[] =>
  (req.headers.cookie ?? '')
    .split(';')
    .map(pair => pair.trim())
    .filter(pair => pair.startsWith(`${name}=`))
    .map(pair => pair.slice(name.length + 1))

/**
 * Returns the token against forged requests that belongs to the secret of a session, which it does
 * not reveal.
 */
const csrfTokenOf = (secret: string): string =>
  createHmac('sha256', secret).update('forms of this session').digest('base64url')

/** Throws 'forbidden' unless a request is a write that a page of this server sent. */
export function checkSameOrigin(ctx: Context, req: Request): void {
  const { origin, 'sec-fetch-site': site } = req.headers
  const own = new URL(ctx.publicUrl()).origin
  const isNamed = origin !== undefined && origin !== 'null'
  const fits = isNamed
    ? origin === own && (site ?? 'same-origin') === 'same-origin'
    : site === 'same-origin'

  if (req.method !== 'POST' || !fits)
    throw new Fault(
      'form_refused',
      `This form was not sent from a page of this server. Open the page at ${own} and try again.`,
    )
}

/**
 * Throws 'forbidden' unless a write comes from a page that this server sent to this session: the
 * origin must be ours, and `csrf` (the field "csrf" of the form) the token of the session.
 */
export function checkWrite(
  ctx: Context,
  req: Request,
  user: BrowserUser,
  csrf: string | undefined,
): void {
  checkSameOrigin(ctx, req)
  checkToken(user, csrf)
}

/**
 * Throws 'forbidden' unless a call of the API comes from a page that this server sent to this
 * session: `csrf` must be its token, and what the browser says of the origin must not be another one.
 */
export function checkCall(
  ctx: Context,
  { headers }: Request,
  user: BrowserUser,
  csrf: string | undefined,
): void {
  const { origin, 'sec-fetch-site': site } = headers
  const own = new URL(ctx.publicUrl()).origin
  if ((origin ?? own) !== own || (site ?? 'same-origin') !== 'same-origin')
    throw new Fault(
      'origin_not_allowed',
      `This request was not sent from a page of this server. Open the page at ${own}.`,
    )
  checkToken(user, csrf)
}

function checkToken({ csrfToken }: BrowserUser, csrf: string | undefined): void {
  const given = Buffer.from(csrf ?? '')
  const wanted = Buffer.from(csrfToken)
  if (given.length !== wanted.length || !timingSafeEqual(given, wanted))
    throw new Fault(
      'form_refused',
      'This page belongs to an earlier sign-in. Open it again and repeat what you did.',
    )
}
