import type { Express, NextFunction, Request, Response } from 'express'
import type { SessionUser } from '../access/session.ts'
import { countNowhere } from '../actions/sites/lookup-limits.ts'
import type { ResolvedContent } from '../actions/sites/resolve-address.ts'
import { isAgent } from '../content/site/agents.ts'
import type { Context } from '../context.ts'
import { Fault } from '../errors.ts'
import { abortSignalOf } from '../http/abort-signal.ts'
import { signedInUser } from '../http/browser-session.ts'
import { addressGroup, clientAddress } from '../http/limits/client-address.ts'
import type { Throttles } from '../http/limits/throttles.ts'
import { answerScoped } from './answer.ts'
import { isFeedback } from './feedback/take-feedback.ts'
import { bearerToken, failMcp, isMcpCall } from './mcp/answer-mcp.ts'
import type { Answered } from './pages/answer-page.ts'
import { answerRobots } from './pages/answer-robots.ts'
import { failWithPage } from './pages/fail.ts'
import { nothingHere } from './pages/nothing-here.ts'
import { withQuery } from './pages/redirected.ts'
import { answerSites } from './pages/sites.ts'
import { openPlace, resolve } from './place/open-place.ts'
import type { Place } from './place/place.ts'
import { addressOf } from './place/request-address.ts'
import { mayTravel } from './place/rights.ts'
import { serverPathOf } from './place/server-path.ts'
import { countClaims } from './readers/claims-limit.ts'
import { keepPreview, previewerOf } from './readers/previewer.ts'
import { unsignedClaims } from './readers/unsigned-claims.ts'
import { keepVisitor, visitorSessions } from './readers/visitor-session.ts'
import { sendReserved } from './reserved.ts'
import { acceptsHtml } from './sending/accepts.ts'
import { pageHeaders, placeHeaders } from './sending/headers.ts'
import { keepPage } from './sending/kept-pages.ts'
import type { Made } from './sending/made.ts'
import { policyHeader } from './sending/page-policy.ts'
import { addressWithout, queryOf, redirect, relativeTo, searchOf } from './sending/redirect.ts'
import { type Packed, pack, sendPacked } from './sending/send.ts'
import { assetAddresses, assetAt, sendAsset } from './sending/send-asset.ts'
import { openScope } from './travel/open-scope.ts'

type Served = { ctx: Context; throttles: Throttles }

/** Serves the pages of published sites, and what belongs to them: the last handler before answers without a page. */
export function servePages(app: Express, ctx: Context, throttles: Throttles): void {
  app.use(async (req: Request, res: Response, next: NextFunction) => {
    const isRead = req.method === 'GET' || req.method === 'HEAD'
    if (!isRead && !isMcpCall(req) && !isFeedback(req)) return next()
    try {
      const asset = assetAt(ctx, req.path)
      if (asset !== undefined) return await sendAsset(req, res, asset)
      await serve({ ctx, throttles }, req, res)
    } catch (error) {
      if (error instanceof Fault && isMcpCall(req)) return failMcp(res, error)
      // Behind a proxy, the bare address of the machine is no site, but the API is here.
      if (req.path === '/' && isNowhere(error)) return res.redirect(302, '/docs')
      if (!res.headersSent && wantsPage(req)) return await failWithPage(ctx, req, res, error)
      isNowhere(error) && isRead ? next() : next(error)
    }
  })
}

/** Returns whether a request that failed is answered with a page. Paths of the API are answered with JSON for browsers too. */
const wantsPage = ({ path, headers }: Request): boolean =>
  acceptsHtml(headers.accept) && !/^\/v1(?:\/|$)/.test(path)

/** Returns whether an address leads to no site: for programs, it is no operation either. */
const isNowhere = (error: unknown): boolean =>
  error instanceof Fault && (error.kind === 'missing' || error.kind === 'invalid')

async function serve(served: Served, req: Request, res: Response): Promise<void> {
  const { ctx, throttles } = served
  const version = ctx.store.version()
  const address = addressOf(ctx, req)
  if (isRoot(ctx, address))
    return sendAnswer(req, res, await answerSites(ctx, signedInUser(ctx, throttles, req, res)))
  const robots = answerRobots(ctx, address)
  if (robots) return sendAnswer(req, res, robots)
  // The cookie belongs to the host of the server: other hosts of sites do not get it.
  const isHere = new URL(address).origin === new URL(ctx.publicUrl()).origin
  const user = isHere ? signedInUser(ctx, throttles, req, res) : undefined
  const isCall = isMcpCall(req)
  const jwtToken = visitorToken(req)
  const token = queryOf(req, 'token')
  const unsigned = unsignedClaims(req)
  const client = addressGroup(clientAddress(req, ctx.config.trustProxy))
  const resolved = await resolve(ctx, {
    address,
    isAgent: isCall || isAgent(req.headers['user-agent']),
    jwtToken,
    session: visitorSessions(ctx, req),
    unsigned,
    previewer: previewerOf(ctx, req, { address, token, user }),
  }).catch(error => {
    throw counted(ctx, client, error)
  })
  if (isCall && resolved.kind === 'redirect' && resolved.target === 'external') throw signInFirst()
  if (resolved.kind === 'redirect') return redirect(res, relativeTo(address, resolved.redirect), 307)
  if (resolved.preview && token !== undefined) {
    keepPreview(ctx, res, resolved, token)
    return redirect(res.set('Referrer-Policy', 'no-referrer'), addressWithout(address, 'token'), 303)
  }
  if (jwtToken !== undefined && !isCall) return signVisitorIn(ctx, res, resolved, address)
  if (unsigned && resolved.claimsId !== '') countClaims(ctx, client, resolved.claimsId)
  await serveContent(served, req, res, { resolved, version, user, address, client })
}

/** Counts an address that leads nowhere, and returns the error. */
function counted(ctx: Context, client: string, error: unknown): unknown {
  if (error instanceof Fault && error.kind === 'missing') countNowhere(ctx, client)
  return error
}

/** Returns the visitor token of a request: in its query, for programs also in a header. */
const visitorToken = (req: Request): string | undefined =>
  queryOf(req, 'jwt_token') ?? (isMcpCall(req) ? bearerToken(req) : undefined)

const signInFirst = (): Fault =>
  new Fault(
    'unauthenticated',
    'Visitors of this site have to sign in. Send a valid visitor token in the header "Authorization".',
  )

/** Keeps the claims of a visitor token in a cookie, and sends the browser to the address without the token. */
function signVisitorIn(ctx: Context, res: Response, resolved: ResolvedContent, address: string): void {
  keepVisitor(ctx, res, resolved)
  redirect(res.set('Referrer-Policy', 'no-referrer'), addressWithout(address, 'jwt_token'), 303)
}

type Found = {
  resolved: ResolvedContent
  version: number
  user: SessionUser | undefined
  address: string
  /** The group of the address of the client. */
  client: string
}

async function serveContent(served: Served, req: Request, res: Response, found: Found): Promise<void> {
  const { resolved, user, address } = found
  const place = await openPlace(served.ctx, resolved, { user, signal: abortSignalOf(res) })
  try {
    if (await sendReserved(place, req, res, address)) return
    await sendAnswerOf(served, req, res, { ...found, place })
  } catch (error) {
    // Paths below a reserved name that do not exist get the "not found" page of the site, like any other path without a page.
    const isMissing = error instanceof Fault && error.kind === 'missing'
    if (!isMissing || res.headersSent || isMcpCall(req) || !wantsPage(req)) throw error
    await sendPage(place, req, res, await nothingHere(place))
  }
}

async function sendAnswerOf(
  { throttles }: Served,
  req: Request,
  res: Response,
  { place, resolved, version, user, client }: Found & { place: Place },
): Promise<void> {
  const [first, second] = place.path.split('/', 2)
  const isScope = first === '~'
  const isHistory = first === '~stemma' && second === 'history'
  // Earlier versions are read from Git, and histories from many rows: a client reads no more of them than a user reads with
  // the API.
  if ((isScope || isHistory) && !user && mayTravel(place)) throttles.check(`earlier versions ${client}`)
  const scoped = isScope ? await openScope(place, req.query.marks !== '0') : place
  const shown = typeof scoped === 'string' || 'redirect' in scoped ? place : scoped
  const answered = resolved.isHidden ? await nothingHere(place) : await answerScoped(place, scoped, req)
  if ('redirect' in answered) {
    const to = withQuery(answered, searchOf(req), resolved.preview)
    return redirect(res.set(headersOf(shown)), to, answered.status ?? 307)
  }
  const packed = await sendPage(shown, req, res, answered)
  if (!answered.isUnsettled) keepPage(shown, req, packed, version)
}

/** Sends a page of a place. Returns it in the form in which it was sent. */
async function sendPage(place: Place, req: Request, res: Response, made: Made): Promise<Packed> {
  const rules = made.type.startsWith('text/html') ? await rulesHeader(place) : {}
  const called = policyHeader(place, made.origins)
  const headers = { ...headersOf(place), ...rules, ...called, ...made.headers }
  const packed = await pack({ ...made, headers })
  await sendPacked(req, res, packed)
  return packed
}

const headersOf = (place: Place): Record<string, string> => ({
  ...pageHeaders,
  ...policyHeader(place),
  ...placeHeaders(place),
})

async function sendAnswer(req: Request, res: Response, answered: Answered): Promise<void> {
  if ('redirect' in answered) return redirect(res, answered.redirect, 307)
  const headers = {
    ...pageHeaders,
    'Cache-Control': 'public, max-age=0, must-revalidate',
    ...answered.headers,
  }
  await sendPacked(req, res, await pack({ ...answered, headers }))
}

/** Returns the header that names the rules for prefetching. */
async function rulesHeader(place: Place): Promise<Record<string, string>> {
  const { rules } = await assetAddresses(serverPathOf(place))
  return { 'Speculation-Rules': `"${rules}"` }
}

/** Returns whether an address is that of the server itself. */
function isRoot(ctx: Context, address: string): boolean {
  const [own, asked] = [new URL(ctx.publicUrl()), new URL(address)]
  return own.origin === asked.origin && own.pathname.replace(/\/$/, '') === asked.pathname.replace(/\/$/, '')
}
