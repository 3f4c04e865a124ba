import type { Request, Response } from 'express'
import type { Context } from '../../context.ts'
import { Fault } from '../../errors.ts'
import { sessionOf } from '../../http/browser-session.ts'
import { serverPath } from '../../ui/serving/server-path.ts'

/**
 * Tells a page of the reference who is signed in, with the token that its calls of the API send, the
 * links of its header, and the path of the server. Throws 'forbidden' for a request of another site; the answer has no header
 * that would let its pages read it.
 */
export function sendSession(ctx: Context, req: Request, res: Response): void {
  const site = req.headers['sec-fetch-site'] ?? 'same-origin'
  if (site !== 'same-origin' && site !== 'none')
    throw new Fault('origin_not_allowed', 'Only pages of this server may ask who is signed in.')
  const found = sessionOf(ctx, req)
  const user = found && { name: found.actor.user.display_name, csrf: found.csrfToken }

  const server = serverPath(ctx)
  const links = found
    ? [
        { title: 'Workbench', href: `${server}app` },
        { title: found.actor.user.display_name, href: `${server}app/account` },
      ]
    : []

  res
    .set({ 'Cache-Control': 'no-store', 'Cross-Origin-Resource-Policy': 'same-origin' })
    .json({ server, signIn: `${server}sso/sign-in`, user: user ?? null, links })
}
