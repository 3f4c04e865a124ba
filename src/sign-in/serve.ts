import type { Express, Request, Response } from 'express'
import { startUrlOf } from '../access/sign-in.ts'
import type { Context } from '../context.ts'
import { Fault } from '../errors.ts'
import { checkSameOrigin, signedInUser } from '../http/browser-session.ts'
import { clientAddress } from '../http/limits/client-address.ts'
import { countList } from '../http/limits/sign-ins.ts'
import type { Throttles } from '../http/limits/throttles.ts'
import { readForm } from '../http/receiving/form.ts'
import { findOrganization, findOrganizationByHostname } from '../store/people/organizations.ts'
import { hasActiveProvider, listActiveProviders } from '../store/sso/providers.ts'
import { serveJoin } from './join.ts'
import { basePath, sendPage } from './layout.tsx'
import { noteAuthFailure } from './note-auth-failure.ts'
import { home, returnAddress, returnAddressOrHome } from './return-address.ts'
import { signInPage } from './sign-in-page.tsx'
import { serveSignOut } from './sign-out.ts'
import { serveWelcome } from './welcome.ts'
import { signInWithToken } from './with-token.ts'

/** Serves the pages of people: signing in, the account, and signing out. */
export function serveSignIn(app: Express, ctx: Context, throttles: Throttles): void {
  app.get('/sso/sign-in', (req, res) => {
    const { organization, return_to, signed_out } = req.query
    const notice = signed_out === undefined ? undefined : 'You are signed out.'
    showSignIn(ctx, throttles, { req, res }, { organization, returnTo: return_to, notice })
  })

  app.post('/sso/sign-in', async (req, res) => {
    checkSameOrigin(ctx, req)
    const form = await readForm(ctx, req, res)
    const returnTo = form.get('return_to')

    try {
      signInWithToken(ctx, throttles, { req, res, token: form.get('token') ?? '' })
    } catch (error) {
      if (!(error instanceof Fault) || error.kind !== 'unauthenticated') throw error
      noteAuthFailure(ctx, req, String(res.locals.requestId), error.refusal?.label)
      showSignIn(ctx, throttles, { req, res, status: 401 }, { returnTo, alert: wrongToken })
      return
    }

    res.set('Cache-Control', 'no-store').redirect(303, returnAddressOrHome(ctx, returnTo))
  })
  serveSignOut(app, ctx, throttles)
  // The address of the account in earlier versions.
  app.get('/sso/account', (_req, res) => res.redirect(303, `${ctx.publicUrl()}/app/account`))
  serveWelcome(app, ctx, throttles)
  serveJoin(app, ctx, throttles)
}

const wrongToken =
  'This token cannot be used. Check that you copied all of it, and that it has not expired and was not revoked.'

type Exchange = { req: Request; res: Response; status?: number }

type Shown = {
  organization?: unknown
  returnTo?: unknown
  notice?: string | undefined
  alert?: string
}

function showSignIn(
  ctx: Context,
  throttles: Throttles,
  { req, res, status = 200 }: Exchange,
  { organization, returnTo, notice, alert }: Shown,
): void {
  const named = textOf(organization)
  const wanted = textOf(returnTo)
  const path = wanted !== undefined && returnAddress(ctx, wanted) !== undefined ? wanted : undefined
  if (named !== undefined) countList(ctx, clientAddress(req, ctx.config.trustProxy))

  const page = signInPage({
    base: basePath(ctx),
    organization: named,
    hasSingleSignOn: hasActiveProvider(ctx.store),
    providers: named === undefined ? [] : providersOf(ctx, named, path ?? home),
    returnTo: path,
    user: signedInUser(ctx, throttles, req, res)?.actor.user.display_name,
    notice,
    alert,
  })

  sendPage(res, status, page)
}

/** Returns the providers of an organization, by its id or hostname; none for an unknown one. */
function providersOf(
  ctx: Context,
  name: string,
  returnTo: string,
): { label: string; url: string }[] {
  const row = findOrganization(ctx.store, name) ?? findOrganizationByHostname(ctx.store, name)
  const query = `?return_to=${encodeURIComponent(returnTo)}`
  return (row ? listActiveProviders(ctx.store, row.id) : []).map(each => ({
    label: each.label,
    url: startUrlOf(ctx, each) + query,
  }))
}

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' && value.length <= 2048 ? value : undefined
