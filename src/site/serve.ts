import type { Express, NextFunction, Request, RequestHandler, Response } from 'express'
import type { SignedInUser } from '../access/session.ts'
import { countNowhere } from '../actions/sites/lookup-limits.ts'
import type { ResolvedContent } from '../actions/sites/resolve-address.ts'
import { isAgent } from '../content/site/agents.ts'
import type { Context } from '../context.ts'
import { Fault } from '../errors.ts'
import { abortSignalOf } from '../http/abort-signal.ts'
import { signedInUser } from '../http/browser-session.ts'
import { type Admission, type Admit, applicantOf } from '../http/limits/admission.ts'
import { addressGroup, clientAddress } from '../http/limits/client-address.ts'
import type { Throttles } from '../http/limits/throttles.ts'
import { sendReady } from '../http/sending/ready-answer.ts'
import { addressWithout, queryOf, redirect, relativeTo, searchOf } from '../ui/serving/redirect.ts'
import { addressOf, isOnServer } from '../ui/serving/request-address.ts'
import { compute, isScope, readyFor } from './compute.ts'
import { isFeedback } from './feedback/take-feedback.ts'
import { bearerToken, failMcp, isMcpCall } from './mcp/answer-mcp.ts'
import type { Answered } from './pages/answer-page.ts'
import { answerRobots } from './pages/answer-robots.ts'
import { failWithPage, failWithText, sitesIn } from './pages/fail.ts'
import { nothingHere } from './pages/nothing-here.ts'
import { withQuery } from './pages/redirected.ts'
import { readSearch } from './pages/search/answer-search.ts'
import { answerSites } from './pages/sites.ts'
import { memberOf } from './place/member.ts'
import { isOnHostOfSite } from './place/on-host-of-site.ts'
import { openPlace, resolve } from './place/open-place.ts'
import { otherHost } from './place/other-host.ts'
import { countClaims } from './readers/claims-limit.ts'
import { keepPreview, previewerOf } from './readers/previewer.ts'
import { unsignedClaims } from './readers/unsigned-claims.ts'
import { isUserToken, userOfRequest } from './readers/user-of-request.ts'
import { keepVisitor, visitorSessions } from './readers/visitor-session.ts'
import { isReserved, sendReserved } from './reserved.ts'
import { acceptsHtml } from './sending/accepts.ts'
import { countRead } from './sending/count-read.ts'
import { pageHeaders } from './sending/headers.ts'
import { findPageFor } from './sending/kept-pages.ts'
import { readyOf } from './sending/made.ts'
import { assetAt, sendAsset } from './sending/send-asset.ts'
import { signInToRead } from './travel/sign-in.ts'

type Handler = (req: Request, res: Response, next: NextFunction) => Promise<void>

type Served = { ctx: Context; throttles: Throttles; admission: Admission }

/**
 * Returns the handler of the pages of published sites, and what belongs to them: the last one before answers
 * without a page.
 */
export function answerPages(served: Served): Handler {
  const { ctx } = served
  return async (req, res, next) => {
    const isRead = req.method === 'GET' || req.method === 'HEAD'
    if (!isRead && !isMcpCall(req) && !isFeedback(req)) return next()

    try {
      const asset = assetAt(ctx, req.path)
      if (asset !== undefined) return await sendAsset(req, res, asset)
      await serve(served, req, res)
    } catch (error) {
      await fail(ctx, error, { req, res, next })
    }
  }
}

/**
 * Serves sites on hosts of their own before everything else that the server has there, so that none of
 * its addresses hides a page. `otherwise` answers what the pages do not.
 */
export function serveHostsOfSites(
  app: Express,
  ctx: Context,
  { pages, otherwise }: { pages: Handler; otherwise: RequestHandler },
): void {
  app.use((req, res, next) => {
    if (!isOnHostOfSite(ctx, req)) return next()
    return pages(req, res, error => (error ? next(error) : otherwise(req, res, next)))
  })
}

type Failed = { req: Request; res: Response; next: NextFunction }

/**
 * Answers a request that failed in the form that its client reads, or leaves it to the handlers
 * behind the pages.
 */
async function fail(ctx: Context, error: unknown, { req, res, next }: Failed): Promise<void> {
  const isRead = req.method === 'GET' || req.method === 'HEAD'
  if (error instanceof Fault && isMcpCall(req)) return failMcp(res, error)
  if (!res.headersSent && wantsPage(ctx, req)) return failWithPage(ctx, req, res, error)
  // The bare address of the machine is no site, but programs find the API here. The address is
  // relative, because a proxy may have a path in front.
  if (req.path === '/' && isNowhere(error)) return res.redirect(302, './docs')
  if (!res.headersSent && isRead && isBusy(error)) return failWithText(res, error)
  isNowhere(error) && isRead && sitesIn(error) === undefined ? next() : next(error)
}

/**
 * Returns whether a request that failed is answered with a page. Paths of the API are answered with
 * JSON for browsers too.
 */
const wantsPage = (ctx: Context, req: Request): boolean =>
  acceptsHtml(req.headers.accept) && (!/^\/v1(?:\/|$)/.test(req.path) || isOnHostOfSite(ctx, req))

const isMissing = (error: unknown): boolean => error instanceof Fault && error.kind === 'missing'

/**
 * Returns whether a request may succeed later: programs that read pages, texts and feeds do not
 * expect JSON.
 */
const isBusy = (error: unknown): error is Fault =>
  error instanceof Fault && (error.kind === 'unavailable' || error.kind === 'too_many')

/** Returns whether an address leads to no site: for programs, it is no operation either. */
const isNowhere = (error: unknown): boolean =>
  isMissing(error) || (error instanceof Fault && error.kind === 'invalid')

async function serve(served: Served, req: Request, res: Response): Promise<void> {
  const { ctx } = served
  const version = ctx.store.version()
  const address = addressOf(ctx, req)
  if (isRoot(ctx, address)) return serveRoot(served, req, res)

  const robots = answerRobots(ctx, address)
  if (robots) return sendAnswer(req, res, robots)

  const isHere = isOnServer(ctx, address)
  const isCall = isMcpCall(req)
  const bearer = tokenOfCall(req)
  const user = isHere ? userOfRequest(served, req, res, bearer) : undefined
  const jwtToken = visitorToken(req, bearer)
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
    user,
  }).catch(error => {
    count(ctx, client, error)
    throw isNowhere(error) ? nowhere(ctx, req, address, { user, error }) : error
  })
  if (isCall && resolved.kind === 'redirect' && resolved.target === 'external') throw signInFirst()
  if (resolved.kind === 'redirect')
    return redirect(res, relativeTo(address, resolved.redirect), 307)

  if (resolved.preview && token !== undefined) {
    keepPreview(ctx, res, resolved, token)
    return redirect(
      res.set({ 'Referrer-Policy': 'no-referrer', 'Cache-Control': 'private, no-store' }),
      addressWithout(address, 'token'),
      303,
    )
  }

  if (jwtToken !== undefined && !isCall) return signVisitorIn(ctx, res, resolved, address)
  if (unsigned && resolved.claimsId !== '') countClaims(ctx, client, resolved.claimsId)
  await serveContent(served, req, res, { resolved, version, user, address, client })
}

/** Answers with the list of sites, or with what a search of them finds, which is admitted first. */
async function serveRoot(
  { ctx, throttles, admission }: Served,
  req: Request,
  res: Response,
): Promise<void> {
  const user = signedInUser(ctx, throttles, req, res)
  const signal = abortSignalOf(res)
  const asked = { ...readSearch({ q: queryOf(req, 'q'), part: queryOf(req, 'part') }), signal }
  const answer = () => answerSites(ctx, user, asked)
  if (asked.query === '') return sendAnswer(req, res, await answer())

  const client = addressGroup(clientAddress(req, ctx.config.trustProxy))
  const applicant = applicantOf(user?.actor ?? { type: 'anonymous' }, client)
  await sendAnswer(req, res, await admission.run(applicant, signal, answer))
}

/**
 * Returns what a request gets whose address leads nowhere: where the sites are, for a browser
 * without a session where to sign in, or the error.
 */
function nowhere(
  ctx: Context,
  req: Request,
  address: string,
  { user, error }: { user: SignedInUser | undefined; error: unknown },
): unknown {
  const mayBeForMembers = user === undefined && isMissing(error) && wantsPage(ctx, req)
  const signIn = mayBeForMembers ? signInToRead(ctx, address) : undefined
  return otherHost(ctx, address) ?? signIn ?? error
}

/** Counts an address that leads nowhere. Throws 'too_many' above the limit of a client. */
function count(ctx: Context, client: string, error: unknown): void {
  if (isMissing(error)) countNowhere(ctx, client)
}

/** Returns the token that a program sends in a header. */
const tokenOfCall = (req: Request): string | undefined =>
  isMcpCall(req) ? bearerToken(req) : undefined

/** Returns the visitor token of a request: in its query, for programs also in a header. */
const visitorToken = (req: Request, bearer: string | undefined): string | undefined =>
  queryOf(req, 'jwt_token') ?? (bearer && isUserToken(bearer) ? undefined : bearer)

const signInFirst = (): Fault =>
  new Fault(
    'sign_in_required',
    'Visitors of this site have to sign in. Send a valid visitor token in the header "Authorization".',
  )

/**
 * Keeps the claims of a visitor token in a cookie, and sends the browser to the address without the
 * token.
 */
function signVisitorIn(
  ctx: Context,
  res: Response,
  resolved: ResolvedContent,
  address: string,
): void {
  keepVisitor(ctx, res, resolved)
  redirect(res.set('Referrer-Policy', 'no-referrer'), addressWithout(address, 'jwt_token'), 303)
}

type ResolvedRequest = {
  resolved: ResolvedContent
  version: number
  user: SignedInUser | undefined
  address: string
  /** The group of the address of the client. */
  client: string
}

async function serveContent(
  served: Served,
  req: Request,
  res: Response,
  found: ResolvedRequest,
): Promise<void> {
  const { ctx, throttles, admission } = served
  const { resolved, user, address, client } = found
  const applicant = applicantOf(user?.actor ?? { type: 'anonymous' }, client)
  const gone = abortSignalOf(res)

  if (isReserved(req, resolved.pathname)) {
    const place = await openPlace(ctx, resolved, { user, signal: gone, hold: async () => {} })
    const admit: Admit = work => admission.run(applicant, gone, work)
    try {
      return await sendReserved({ place, address, admit }, req, res)
    } catch (error) {
      if (!isMissing(error) || res.headersSent || isMcpCall(req) || !wantsPage(ctx, req))
        throw error
      return await sendReady(
        req,
        res,
        await readyFor(place, await admit(hold => nothingHere({ ...place, hold }))),
      )
    }
  }

  const isMember = user !== undefined && memberOf(ctx, user, resolved.siteSpace.space) !== undefined
  const kept = isMember || resolved.preview ? undefined : findPageFor(ctx, req, resolved.claimsId)
  if (kept) {
    countRead(ctx, req, kept)
    return sendReady(req, res, kept)
  }
  countHistory(throttles, found)
  const asked = { ...found, applicant, wantsPage: wantsPage(ctx, req) }
  const computed = await compute(served, req, asked, gone)
  if (!('redirect' in computed)) {
    countRead(ctx, req, computed)
    return sendReady(req, res, computed)
  }

  const to = withQuery(computed.redirect, searchOf(req), resolved.preview)

  redirect(res.set(computed.headers), to, computed.redirect.status ?? 307)
}

/**
 * Counts a request for an earlier version, which is read from Git, or a history, which is read from
 * many rows: a client reads no more of them than a user reads with the API. Throws 'too_many'.
 */
function countHistory(throttles: Throttles, { resolved, user, client }: ResolvedRequest): void {
  const { preview, site, pathname } = resolved
  const isOfHistory = isScope(pathname) || /^~stemma\/history(?:\/|$)/.test(pathname)
  if (isOfHistory && !user && (preview || site.time_travel === 'readers'))
    throttles.check(`earlier versions ${client}`)
}

async function sendAnswer(req: Request, res: Response, answered: Answered): Promise<void> {
  if ('redirect' in answered) return redirect(res, answered.redirect, 307)
  const headers = {
    ...pageHeaders,
    'Cache-Control': 'public, max-age=0, must-revalidate',
    ...answered.headers,
  }
  await sendReady(req, res, readyOf({ ...answered, headers }))
}

/** Returns whether an address is that of the server itself. */
function isRoot(ctx: Context, address: string): boolean {
  const [own, asked] = [new URL(ctx.publicUrl()), new URL(address)]
  return (
    own.origin === asked.origin &&
    own.pathname.replace(/\/$/, '') === asked.pathname.replace(/\/$/, '')
  )
}
