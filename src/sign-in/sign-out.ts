import type { Express } from 'express'
import { endSession } from '../actions/sso/sessions.ts'
import type { Context } from '../context.ts'
import {
  checkSameOrigin,
  checkWrite,
  clearSessionCookie,
  signedInUser,
} from '../http/browser-session.ts'
import type { Throttles } from '../http/limits/throttles.ts'
import { readForm } from '../http/receiving/form.ts'
import { originOf } from './browser.ts'

/** Serves the form that ends the session of a browser. */
export function serveSignOut(app: Express, ctx: Context, throttles: Throttles): void {
  app.post('/sso/sign-out', async (req, res) => {
    checkSameOrigin(ctx, req)
    const form = await readForm(ctx, req, res)
    const user = signedInUser(ctx, throttles, req, res)

    if (user) {
      checkWrite(ctx, req, user, form.get('csrf'))
      const { id: userId } = user.actor.user
      const origin = originOf(ctx, req, res, user.actor.token.id)
      ctx.store.transact(() =>
        endSession(ctx, { userId }, user.session.id, { why: 'sign-out', userId, origin }),
      )
    }

    clearSessionCookie(ctx, res)
    res
      .set('Cache-Control', 'no-store')
      .redirect(303, `${ctx.publicUrl()}/sso/sign-in?signed_out=1`)
  })
}
