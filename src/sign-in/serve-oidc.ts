import { randomBytes } from 'node:crypto'
import type { Express, Request, Response } from 'express'
import { oidcServiceOf } from '../access/sign-in.ts'
import { sendToProvider } from '../actions/sso/send-to-provider.ts'
import type { Context } from '../context.ts'
import { clientAddress } from '../http/limits/client-address.ts'
import { countStep, tooManySignIns } from '../http/limits/sign-ins.ts'
import { FairSlots } from '../lib/fair-slots.ts'
import type { Turn } from '../sso/check-response.ts'
import { authorizationAddress, confirmIdentity, type OidcProvider } from '../sso/oidc.ts'
import { Refused } from '../sso/reasons.ts'
import { findRequest } from '../store/sso/requests.ts'
import type { SsoProviderRow, SsoRequestRow } from '../store/tables/rows.ts'
import { activeProvider, begin } from './begin.ts'
import { isSameBrowser } from './browser-secret.ts'
import { finish, refuse } from './finish.ts'

/** The longest query of a callback. */
const mostQuery = 8192
/**
 * Sign-ins that wait for answers of providers: each takes up to 512 KB and half a minute. A slow
 * one delays only its own.
 */
const asking = { total: 64, perShare: 8, waitersPerShare: 100, waitMs: 10_000 }

/** Serves the addresses of OpenID Connect providers: start, and where they return to. */
export function serveOidc(app: Express, ctx: Context): void {
  const slots = new FairSlots({ ...asking, refusal: tooManySignIns })
  const step = (run: Step) => async (req: Request, res: Response) => {
    const id = String(req.params.id)
    const turn: Turn = work => slots.run(id, work)
    await run(ctx, { id, turn }, req, res).catch(error => refuse(ctx, id, error, req, res))
  }
  app.get('/sso/oidc/:id', step(start))
  app.get('/sso/oidc/:id/callback', step(complete))
}

type OidcRequest = { id: string; turn: Turn }
type Step = (ctx: Context, asked: OidcRequest, req: Request, res: Response) => Promise<void>

const random = () => randomBytes(32).toString('base64url')

async function start(
  ctx: Context,
  { id, turn }: OidcRequest,
  req: Request,
  res: Response,
): Promise<void> {
  const row = activeProvider(ctx, 'oidc', id)
  const secrets = { nonce: random(), verifier: random() }
  const sealed = {
    nonce: secrets.nonce,
    verifier_sealed: ctx.keys.seal('code verifier', secrets.verifier),
  }
  const { id: state } = begin(ctx, row, req, res, sealed)
  const send = sendToProvider(ctx, row.organization_id)
  const provider = oidcProviderOf(ctx, row)
  const address = await turn(() => authorizationAddress(provider, { state, ...secrets }, send))

  res.set('Cache-Control', 'no-store').redirect(302, address)
}

async function complete(
  ctx: Context,
  { id, turn }: OidcRequest,
  req: Request,
  res: Response,
): Promise<void> {
  countStep(ctx, clientAddress(req, ctx.config.trustProxy))
  const row = activeProvider(ctx, 'oidc', id)
  const { nonce, verifier_sealed: sealed, ...request } = requestOf(ctx, id, req)
  if (nonce === null || sealed === null) throw new Refused('request')

  const provider = oidcProviderOf(ctx, row)
  const callback = new URL(provider.redirectURL)

  callback.search = req.url.slice(req.url.indexOf('?'))
  const secrets = { state: request.id, nonce, verifier: ctx.keys.open('code verifier', sealed) }
  const send = sendToProvider(ctx, row.organization_id)
  const identity = await turn(() => confirmIdentity(provider, secrets, callback, send))

  finish(ctx, { providerId: id, requestId: request.id, identity }, req, res)
}

/**
 * Returns the sign-in under way that a callback answers. Throws Refused unless it began in this
 * browser.
 */
function requestOf(ctx: Context, providerId: string, req: Request): SsoRequestRow {
  const { state } = req.query
  if (typeof state !== 'string' || req.url.length > mostQuery) throw new Refused('request')
  const row = findRequest(ctx.store, providerId, state, ctx.now().toISOString())
  if (!row || !isSameBrowser(ctx, req, row.browser_hash)) throw new Refused('request')
  return row
}

/** Returns the provider of a row, with its client secret. */
const oidcProviderOf = (ctx: Context, row: SsoProviderRow): OidcProvider => ({
  issuer: row.issuer,
  clientId: row.client_id,
  clientSecret: ctx.keys.open('client secret', row.secret_sealed as string),
  scopes: row.scopes,
  trustsEmail: row.trusts_email === 1,
  emailClaim: row.email_from,
  toleranceSeconds: ctx.config.ssoClockSeconds,
  redirectURL: oidcServiceOf(ctx, row).redirectURL,
})
