import type { Request } from 'express'
import { findActor } from '../access/actor.ts'
import type { Actor } from '../access/asker.ts'
import type { Context } from '../context.ts'
import { Fault } from '../errors.ts'
import { checkCall, sessionOf } from './browser-session.ts'

/**
 * The header in which a page of this server sends the token against forged requests, to call the API
 * with the session of its reader. It is no header that pages of other origins may send.
 */
const sessionHeader = 'stemma-session'

/** Returns whether a request names its caller by a browser session: no token, and the header. */
const isFromSession = ({ headers }: Pick<Request, 'headers'>): boolean =>
  headers.authorization === undefined && headers[sessionHeader] !== undefined

/**
 * Returns the caller of the API: the holder of a token, or the user of a browser session whose page
 * sent the request. Throws 'unauthenticated' for an unusable token or session, 'forbidden' for a
 * request that does not come from a page of this session.
 */
export function findCaller(ctx: Context, req: Request): Actor {
  if (!isFromSession(req)) return findActor(ctx, req.headers.authorization)
  const user = sessionOf(ctx, req)
  if (!user)
    throw new Fault(
      'session_ended',
      'Your session has ended. Sign in again and repeat the request.',
      undefined,
      { label: 'signed-out' },
    )
  checkCall(ctx, req, user, String(req.headers[sessionHeader]))
  return user.actor
}
