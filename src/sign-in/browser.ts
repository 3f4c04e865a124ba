import type { Request, Response } from 'express'
import type { Origin } from '../access/asker.ts'
import type { Browser } from '../actions/sso/sessions.ts'
import type { Context } from '../context.ts'
import { sessionOf } from '../http/browser-session.ts'
import { clientAddress } from '../http/limits/client-address.ts'

/** Returns where a request of a browser comes from, for the audit log. */
export const originOf = (
  ctx: Context,
  req: Request,
  res: Response,
  tokenId: string | null = null,
): Origin => ({
  requestId: String(res.locals.requestId),
  address: clientAddress(req, ctx.config.trustProxy),
  tokenId,
})

/** Returns the browser of a request, with the session that it has. */
export const browserOf = (ctx: Context, req: Request): Browser => ({
  userAgent: req.headers['user-agent'],
  address: clientAddress(req, ctx.config.trustProxy),
  session: sessionOf(ctx, req)?.session,
})
