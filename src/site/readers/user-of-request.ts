import type { Request, Response } from 'express'
import type { SignedInUser } from '../../access/session.ts'
import type { Context } from '../../context.ts'
import { identify } from '../../http/authorize.ts'
import { signedInUser } from '../../http/browser-session.ts'
import type { Throttles } from '../../http/limits/throttles.ts'

/** Returns whether a token is that of a user, not of a visitor. */
export const isUserToken = (token: string): boolean => token.startsWith('stm_')

/**
 * Returns the user who asks: the holder of the token that a program sends, otherwise who is signed in
 * with the browser; undefined for none. Throws 'unauthenticated' for an unusable token, 'too_many'
 * above a rate limit.
 */
export function userOfRequest(
  { ctx, throttles }: { ctx: Context; throttles: Throttles },
  req: Request,
  res: Response,
  token: string | undefined,
): SignedInUser | undefined {
  if (token === undefined || !isUserToken(token)) return signedInUser(ctx, throttles, req, res)
  const actor = identify(ctx, throttles, req)
  if (actor.type !== 'user') return undefined
  Object.assign(res.locals, { userId: actor.user.id, tokenId: actor.token.id })
  return { actor }
}
