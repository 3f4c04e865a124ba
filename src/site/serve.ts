import type { Express, NextFunction, Request, Response } from 'express'
import { countNowhere } from '../actions/sites/lookup-limits.ts'
import type { ResolvedContent } from '../actions/sites/resolve-address.ts'
import type { Context } from '../context.ts'
import { Fault, missing } from '../errors.ts'
import { abortSignalOf } from '../http/abort-signal.ts'
import { addressGroup, clientAddress } from '../http/client-address.ts'
import { answerNav } from './pages/answer-nav.ts'
import { type Answered, answerPage } from './pages/answer-page.ts'
import { answerPrograms, isForPrograms } from './pages/answer-programs.ts'
import { answerSearch } from './pages/answer-search.ts'
import { failWithPage } from './pages/fail.ts'
import { answerSites } from './pages/sites.ts'
import { openPlace, resolve } from './place/open-place.ts'
import { addressOfPage } from './place/page-address.ts'
import type { Place } from './place/place.ts'
import { addressOf } from './place/request-address.ts'
import { forgetVisitor, keepVisitor, visitorSessions } from './place/visitor-session.ts'
import { acceptsHtml, prefersMarkdown } from './sending/accepts.ts'
import { audienceHeaders, pageHeaders } from './sending/headers.ts'
import { keepPage } from './sending/kept-pages.ts'
import { pack, sendPacked } from './sending/send.ts'
import { assetAddresses, assetPath, sendAsset } from './sending/send-asset.ts'
import { sendSiteFile } from './sending/send-file.ts'
import { sendIcon } from './sending/send-icon.ts'
import { sendTheme } from './sending/theme.ts'

/** Serves the pages of published sites, and what belongs to them: the last handler before answers without a page. */
export function servePages(app: Express, ctx: Context): void {
  app.use(async (req: Request, res: Response, next: NextFunction) => {
    if (req.method !== 'GET' && req.method !== 'HEAD') return next()
    try {
      if (req.path.startsWith(`/${assetPath}`))
        return await sendAsset(req, res, req.path.slice(assetPath.length + 1))
      await serve(ctx, req, res)
    } catch (error) {
      if (!(error instanceof Fault)) return next(error)
      // Behind a proxy, the bare address of the machine is no site, but the API is here.
      if (req.path === '/' && isNowhere(error)) return res.redirect(302, '/docs')
      if (!acceptsHtml(req.headers.accept) || isBelowApi(req.path))
        return isNowhere(error) ? next() : next(error)
      await failWithPage(ctx, req, res, error)
    }
  })
}

/** Returns whether a path is one of the API, which answers browsers with JSON as well. */
const isBelowApi = (path: string): boolean => /^\/v1(?:\/|$)/.test(path)

/** Returns whether an address leads to no site: for programs, it is no operation either. */
const isNowhere = ({ kind }: Fault): boolean => kind === 'missing' || kind === 'invalid'

async function serve(ctx: Context, req: Request, res: Response): Promise<void> {
  const version = ctx.store.version()
  const address = addressOf(ctx, req)
  if (isRoot(ctx, address)) return sendAnswer(req, res, await answerSites(ctx))
  const jwtToken = tokenIn(req)
  const session = visitorSessions(ctx, req)
  const asked = { address, userAgent: req.headers['user-agent'], jwtToken, session }
  const resolved = await resolve(ctx, asked).catch(error => {
    if (error instanceof Fault && error.kind === 'missing')
      countNowhere(ctx, addressGroup(clientAddress(req, ctx.config.trustProxy)))
    throw error
  })
  if (jwtToken !== undefined && resolved.kind === 'content')
    return signVisitorIn(ctx, req, res, { resolved, token: jwtToken })
  if (resolved.kind === 'redirect') return redirect(res, relativeTo(address, resolved.redirect), 307)
  await serveContent(ctx, req, res, { resolved, version })
}

/** Returns the visitor token in the query of a request. */
function tokenIn({ query }: Request): string | undefined {
  const token = query.jwt_token
  return typeof token === 'string' ? token : undefined
}

/** Keeps the claims of a visitor token in a cookie, and sends the browser to the address without the token. */
async function signVisitorIn(
  ctx: Context,
  req: Request,
  res: Response,
  { resolved: { site, siteBasePath }, token }: { resolved: ResolvedContent; token: string },
): Promise<void> {
  const url = new URL(req.originalUrl, 'http://server')
  url.searchParams.delete('jwt_token')
  await keepVisitor(ctx, res, { site, path: siteBasePath, token })
  redirect(res.set('Referrer-Policy', 'no-referrer'), url.pathname + url.search, 303)
}

type Found = { resolved: ResolvedContent; version: number }

async function serveContent(ctx: Context, req: Request, res: Response, found: Found): Promise<void> {
  const place = await openPlace(ctx, found.resolved, abortSignalOf(res))
  const [first, second, ...rest] = place.path.split('/')
  if (first === '~stemma' && second === 'files') return sendSiteFile(place, req, res, rest)
  if (first === '~gitbook' && second === 'auth' && rest[0] === 'logout') {
    forgetVisitor(ctx, res, place.resolved.site, place.siteBase)
    return redirect(res, place.siteBase, 303)
  }
  if (first === '~gitbook' && second === 'icon') return sendIcon(place, req, res)
  if (first === '~stemma' && second === 'theme') return sendTheme(place, req, res, rest[0] ?? '')
  const { visibility, adaptive } = place.resolved.site
  const headers = { ...pageHeaders, ...audienceHeaders(visibility, adaptive === 1) }
  const answered = await answer(place, req)
  if ('redirect' in answered) return redirect(res.set(headers), answered.redirect + searchOf(req), 307)
  const rules = answered.type.startsWith('text/html') ? await rulesHeader() : {}
  const packed = await pack({ ...answered, headers: { ...headers, ...rules, ...answered.headers } })
  keepPage(place, req, packed, found.version)
  await sendPacked(req, res, packed)
}

/** Returns the answer to an address: of one of the reserved names, or a page. */
async function answer(place: Place, req: Request): Promise<Answered> {
  const [first, second, ...rest] = place.path.split('/')
  if (first === '~gitbook' && second === 'search') return answerSearch(place, req.query)
  if (first === '~stemma' && second === 'nav') return answerNav(place, rest[1] ?? '')
  if (first === '~stemma' && second === 'page') return { redirect: addressById(place, rest[0] ?? '') }
  if (isForPrograms(place.path)) return answerPrograms(place)
  return answerPage(place, {
    wantsMarkdown: prefersMarkdown(req.headers.accept),
    endsWithSlash: req.path.endsWith('/'),
  })
}

function addressById({ open, base }: Place, id: string): string {
  const { content } = open.shown
  const node = content.pageById.get(id)
  if (!node) throw missing('page', id)
  return addressOfPage(base, content, node)
}

async function sendAnswer(req: Request, res: Response, answered: Answered): Promise<void> {
  if ('redirect' in answered) return redirect(res, answered.redirect, 307)
  const headers = {
    ...pageHeaders,
    'Cache-Control': 'public, max-age=0, must-revalidate',
    ...answered.headers,
  }
  await sendPacked(req, res, await pack({ ...answered, headers }))
}

function redirect(res: Response, to: string, status: number): void {
  res.set('Cache-Control', 'no-cache').redirect(status, to)
}

/** Returns the header that names the rules for prefetching. */
async function rulesHeader(): Promise<Record<string, string>> {
  const { rules } = await assetAddresses('/')
  return { 'Speculation-Rules': `"${rules}"` }
}

const searchOf = ({ originalUrl }: Request): string =>
  originalUrl.includes('?') ? originalUrl.slice(originalUrl.indexOf('?')) : ''

/** Returns an address without its origin if it is that of the request: names of this machine stay as they are. */
function relativeTo(address: string, target: string): string {
  const [from, to] = [new URL(address), new URL(target)]
  return from.origin === to.origin ? to.pathname + to.search + to.hash : target
}

/** Returns whether an address is that of the server itself. */
function isRoot(ctx: Context, address: string): boolean {
  const [own, asked] = [new URL(ctx.publicUrl()), new URL(address)]
  return own.origin === asked.origin && own.pathname.replace(/\/$/, '') === asked.pathname.replace(/\/$/, '')
}
