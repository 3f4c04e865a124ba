import type { Request, Response } from 'express'
import { findActor } from '../access/actor.ts'
import type { Actor } from '../access/asker.ts'
import { openSession } from '../actions/sso/sessions.ts'
import type { Context } from '../context.ts'
import { Fault } from '../errors.ts'
import { setSessionCookie } from '../http/browser-session.ts'
import { clientAddress } from '../http/limits/client-address.ts'
import { countedAs, type Throttles, whoseOf } from '../http/limits/throttles.ts'
import type { TokenRow } from '../store/tables/rows.ts'
import { browserOf, originOf } from './browser.ts'

type Attempt = { req: Request; res: Response; token: string }

/**
 * Opens a session with a token that a person entered, in place of the session that the browser has.
 * Throws 'unauthenticated' for an unusable token, 'too_many' above a rate limit.
 */
export function signInWithToken(
  ctx: Context,
  throttles: Throttles,
  { req, res, token }: Attempt,
): void {
  const { user, token: row } = userOf(ctx, throttles, req, token.trim())
  const origin = originOf(ctx, req, res, row.id)
  const browser = browserOf(ctx, req)
  const { secret } = ctx.store.transact(() => openSession(ctx, row, browser, origin))
  Object.assign(res.locals, { userId: user.id, tokenId: row.id })
  setSessionCookie(ctx, res, secret)
}

function userOf(
  ctx: Context,
  throttles: Throttles,
  req: Request,
  token: string,
): Extract<Actor, { type: 'user' }> {
  const address = clientAddress(req, ctx.config.trustProxy)
  try {
    const actor = findActor(ctx, `Bearer ${token}`)
    if (actor.type !== 'user' || isOfIntegration(actor.token)) throw notOfUser()
    throttles.check(countedAs(whoseOf(actor), address))
    return actor
  } catch (error) {
    if (error instanceof Fault && error.kind === 'unauthenticated') throttles.failed(address)
    throw error
  }
}

/** Returns whether a token is the secret of an integration, or belongs to an installation. */
const isOfIntegration = ({ integration_id, installation_id }: TokenRow): boolean =>
  integration_id !== null || installation_id !== null

/** A reading token is for programs that show a site. */
const notOfUser = () =>
  new Fault(
    'token_unusable',
    'This is not the token of a user. Sign in with the token of a user.',
    undefined,
    {
      label: 'malformed',
    },
  )
