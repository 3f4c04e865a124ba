import type { Express, Request, Response } from 'express'
import { samlServiceOf } from '../access/sign-in.ts'
import type { Context } from '../context.ts'
import { missing } from '../errors.ts'
import { BodyBudget } from '../http/limits/body-budget.ts'
import { addressGroup, clientAddress } from '../http/limits/client-address.ts'
import { countStep, tooManySignIns } from '../http/limits/sign-ins.ts'
import { readBody } from '../http/receiving/read-body.ts'
import { FairSlots } from '../lib/fair-slots.ts'
import { readCertificates } from '../sso/certificates.ts'
import { checkResponse, type Turn } from '../sso/check-response.ts'
import { metadataOf } from '../sso/metadata.ts'
import { readResponse } from '../sso/read-response.ts'
import { Refused } from '../sso/reasons.ts'
import type { SamlProvider } from '../sso/saml.ts'
import { startAddress } from '../sso/start.ts'
import { findProvider } from '../store/sso/providers.ts'
import { findRequest } from '../store/sso/requests.ts'
import type { SsoProviderRow, SsoRequestRow } from '../store/tables/rows.ts'
import { activeProvider, begin } from './begin.ts'
import { isSameBrowser } from './browser-secret.ts'
import { finish, refuse } from './finish.ts'

/** The longest form, in bytes: 256 KB in base64, with every "+" and "/" escaped. */
const mostFormBytes = 600_000
const mostRelayState = 200
/** Threads that check responses. A provider holds at most half of them. */
const threads = { total: 4, perShare: 2, waitersPerShare: 100, waitMs: 20_000 }

type Step = (req: Request, res: Response, id: string) => Promise<void> | void

/** Serves the addresses of SAML providers: metadata, start, and where responses are posted to. */
export function serveSaml(app: Express, ctx: Context): void {
  const budget = new BodyBudget()
  const slots = new FairSlots({ ...threads, refusal: tooManySignIns })
  const step =
    (run: Step) =>
    async (req: Request, res: Response): Promise<void> => {
      const id = String(req.params.id)
      try {
        await run(req, res, id)
      } catch (error) {
        refuse(ctx, id, error, req, res)
      }
    }

  app.get('/sso/saml/:id/metadata', (req, res) => sendMetadata(ctx, req, res))
  app.get(
    '/sso/saml/:id',
    step((req, res, id) => start(ctx, req, res, id)),
  )

  app.post(
    '/sso/saml/:id/acs',
    step(async (req, res, id) => {
      countStep(ctx, clientAddress(req, ctx.config.trustProxy))
      const provider = activeProvider(ctx, 'saml', id)
      const sender = addressGroup(clientAddress(req, ctx.config.trustProxy))
      const form = await readForm(req, res, { budget, sender })
      await consume(ctx, { provider, form, turn: work => slots.run(id, work) }, req, res)
    }),
  )
}

function sendMetadata(ctx: Context, req: Request, res: Response): void {
  const row = findProvider(ctx.store, String(req.params.id))
  if (row?.kind !== 'saml') throw missing('identity provider', String(req.params.id))
  res.set('Cache-Control', 'no-cache').type('application/samlmetadata+xml')
  res.send(metadataOf(samlServiceOf(ctx, row)))
}

function providerOf(row: SsoProviderRow): SamlProvider {
  const read = readCertificates(row.certificate.trim())
  return {
    issuer: row.issuer,
    ssoURL: row.sso_url,
    certificates: 'pems' in read ? read.pems : [],
    emailAttribute: row.email_from,
  }
}

async function start(ctx: Context, req: Request, res: Response, id: string): Promise<void> {
  const row = activeProvider(ctx, 'saml', id)
  const request = begin(ctx, row, req, res)
  const address = await startAddress(samlServiceOf(ctx, row), providerOf(row), request.id)
  res.set('Cache-Control', 'no-store').redirect(302, address)
}

type Form = { response: string; relayState: string | undefined }

/**
 * Returns the fields of the form that a provider makes a browser post. Throws Refused unless each
 * is there once.
 */
async function readForm(
  req: Request,
  res: Response,
  { budget, sender }: { budget: BodyBudget; sender: string },
): Promise<Form> {
  const type = (req.headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase()
  if (type !== 'application/x-www-form-urlencoded') throw new Refused('form')
  const bytes = await readBody(req, res, { budget, userId: sender, limit: mostFormBytes })
  const fields = new URLSearchParams(bytes.toString('latin1'))
  const [response, ...more] = fields.getAll('SAMLResponse')
  const [relayState, ...others] = fields.getAll('RelayState')
  if (response === undefined || more.length > 0 || others.length > 0) throw new Refused('form')
  if ((relayState?.length ?? 0) > mostRelayState) throw new Refused('form')

  return { response, relayState }
}

type Sent = { provider: SsoProviderRow; form: Form; turn: Turn }

/** Accepts a response, or throws Refused or a Fault. */
async function consume(
  ctx: Context,
  { provider, form: { response, relayState }, turn }: Sent,
  req: Request,
  res: Response,
): Promise<void> {
  const sent = readResponse(response)
  const service = samlServiceOf(ctx, provider)
  if (sent.inResponseTo === undefined) {
    // The tile of a provider: nothing in the response is believed, and the sign-in starts here.
    res.set('Cache-Control', 'no-store').redirect(303, service.startURL)
    return
  }

  const request = requestOf(ctx, provider, sent.inResponseTo, relayState, req)
  const now = ctx.now().getTime()
  const toleranceMs = ctx.config.ssoClockSeconds * 1000
  const expected = {
    service,
    provider: providerOf(provider),
    requestId: request.id,
    now,
    toleranceMs,
  }
  const { identity, assertion } = await checkResponse(sent, expected, turn)

  finish(ctx, { providerId: provider.id, requestId: request.id, identity, assertion }, req, res)
}

/**
 * Returns the sign-in under way that a response claims to answer. Throws Refused unless it began in
 * this browser.
 */
function requestOf(
  ctx: Context,
  provider: SsoProviderRow,
  id: string,
  relayState: string | undefined,
  req: Request,
): SsoRequestRow {
  const row = findRequest(ctx.store, provider.id, id, ctx.now().toISOString())
  if (!row || (relayState && relayState !== row.id)) throw new Refused('request')
  if (!isSameBrowser(ctx, req, row.browser_hash)) throw new Refused('request')
  return row
}
