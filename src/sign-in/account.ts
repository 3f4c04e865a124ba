import type { Express, Request, Response } from 'express'
import { admitToken } from '../access/admit-token.ts'
import { covers, type NeededScope } from '../access/scopes.ts'
import { sessionsWithin, sessionTimes } from '../access/session.ts'
import { endSession, type SessionEnd } from '../actions/sso/sessions.ts'
import type { Context } from '../context.ts'
import { forbidden } from '../errors.ts'
import {
  type BrowserUser,
  checkSameOrigin,
  checkWrite,
  clearSessionCookie,
  signedInUser,
} from '../http/browser-session.ts'
import { readForm } from '../http/form.ts'
import type { Throttles } from '../http/limits/throttles.ts'
import { findOrganization } from '../store/people/organizations.ts'
import { type ListedSession, listSessions, type SessionFilter } from '../store/sso/sessions.ts'
import { accountPage } from './account-page.tsx'
import { originOf } from './browser.ts'
import { basePath, sendPage } from './layout.tsx'

/** Serves the page of one's account, which ends sessions, and signing out. */
export function serveAccount(app: Express, ctx: Context, throttles: Throttles): void {
  const toSignIn = (res: Response, query: string) =>
    res.set('Cache-Control', 'no-store').redirect(303, `${ctx.publicUrl()}/sso/sign-in?${query}`)

  app.get('/sso/account', (req, res) => {
    const user = signedInUser(ctx, throttles, req, res)
    if (!user) return toSignIn(res, 'return_to=%2Fsso%2Faccount')
    sendAccount(ctx, user, req, res)
  })

  app.post('/sso/account', async (req, res) => {
    checkSameOrigin(ctx, req)
    const form = await readForm(ctx, req, res)
    const user = signedInUser(ctx, throttles, req, res)
    if (!user) return toSignIn(res, 'return_to=%2Fsso%2Faccount')
    checkWrite(ctx, req, user, form.get('csrf'))
    endOthers(ctx, user, form.get('end') ?? '', req, res)
    res.set('Cache-Control', 'no-store').redirect(303, `${ctx.publicUrl()}/sso/account?ended=1`)
  })

  app.post('/sso/sign-out', async (req, res) => {
    checkSameOrigin(ctx, req)
    const form = await readForm(ctx, req, res)
    const user = signedInUser(ctx, throttles, req, res)

    if (user) {
      checkWrite(ctx, req, user, form.get('csrf'))
      const end = endOf(ctx, user, 'sign-out', req, res)
      ctx.store.transact(() => endSession(ctx, { userId: end.userId }, user.session.id, end))
    }

    clearSessionCookie(ctx, res)
    toSignIn(res, 'signed_out=1')
  })
}

const endOf = (
  ctx: Context,
  { actor }: BrowserUser,
  why: SessionEnd['why'],
  req: Request,
  res: Response,
): SessionEnd => ({ why, userId: actor.user.id, origin: originOf(ctx, req, res, actor.token.id) })

/** Returns whether the token of a session has a scope. */
const may = ({ actor }: BrowserUser, scope: NeededScope): boolean =>
  covers(actor.token.scopes, scope)

/** Returns the sessions that the token of a session reaches, as below `/v1/user/sessions`. */
function reachedBy(ctx: Context, { actor }: BrowserUser): SessionFilter {
  const { reach } = admitToken(
    ctx,
    actor,
    { operationId: 'listUserSessions', scope: undefined, readers: false },
    {},
  )
  return sessionsWithin(reach, actor.user.id)
}

function sendAccount(ctx: Context, user: BrowserUser, req: Request, res: Response): void {
  const { actor, session, csrfToken } = user
  const { display_name: displayName, email } = actor.user
  const organization = session.organization_id
    ? findOrganization(ctx.store, session.organization_id)
    : undefined
  const page = accountPage({
    base: basePath(ctx),
    user: { displayName, email },
    organization: organization?.title,
    sessions: listedFor(ctx, user),
    currentId: session.id,
    mayEnd: may(user, 'tokens:admin'),
    csrfToken,
    notice: req.query.ended === undefined ? undefined : 'The sessions were ended.',
  })

  sendPage(res, 200, page)
}

/** Returns the sessions that a session may see, newest first, itself among them. */
function listedFor(ctx: Context, user: BrowserUser): ListedSession[] {
  const times = sessionTimes(ctx, ctx.now())
  const own = { userId: user.actor.user.id, tokenId: user.actor.token.id }
  const current = listSessions(ctx.store, own, times, -1).filter(({ id }) => id === user.session.id)
  if (!may(user, 'tokens:read')) return current
  const others = listSessions(ctx.store, reachedBy(ctx, user), times, -1)
  return [...current, ...others.filter(({ id }) => id !== user.session.id)]
}

/** Ends another session, or with "others" all of them. Throws 'forbidden' without the scope. */
function endOthers(
  ctx: Context,
  user: BrowserUser,
  which: string,
  req: Request,
  res: Response,
): void {
  if (!may(user, 'tokens:admin'))
    throw forbidden(
      'This needs a token with the scope "tokens:admin", which the token of your session does not have.',
    )

  const filter = reachedBy(ctx, user)
  const end = endOf(ctx, user, 'revoked', req, res)
  ctx.store.transact(() => {
    const ids = listSessions(ctx.store, filter, sessionTimes(ctx, ctx.now()), -1).map(
      ({ id }) => id,
    )
    for (const id of ids)
      if (id !== user.session.id && (which === 'others' || which === id))
        endSession(ctx, filter, id, end)
  })
}
