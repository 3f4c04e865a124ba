import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { setImmediate } from 'node:timers/promises'
import type { ErrorRequestHandler, Request, RequestHandler, Response } from 'express'
import express from 'express'
import { readRecorder } from './api/audit/record-reads.ts'
import { serveFiles } from './api/files/download.ts'
import { serveAssets } from './api/integrations/assets.ts'
import { loadIntegrations } from './api/integrations/read-folder.ts'
import { serveScripts } from './api/integrations/scripts.ts'
import { servePrints } from './api/pdf/download.ts'
import { api } from './api/routes.ts'
import { failurePage } from './api/sign-in/failure-page.ts'
import { basePath, sendPage } from './api/sign-in/layout.ts'
import { serveSignIn } from './api/sign-in/serve.ts'
import { serveOidc } from './api/sso/serve-oidc.ts'
import { serveSaml } from './api/sso/serve-saml.ts'
import { noteAuthFailure } from './api/system/note-auth-failure.ts'
import { system } from './api/system/routes.ts'
import type { Context } from './context.ts'
import { answerHeaders } from './http/answer-headers.ts'
import { describeError, failureOf } from './http/faults.ts'
import { Admission } from './http/limits/admission.ts'
import { addressGroup, clientAddress, isProxy } from './http/limits/client-address.ts'
import { closeWithConnection, markBusy, touchConnection } from './http/limits/connections.ts'
import { hangUpOnUnread, isEnding } from './http/limits/hang-up.ts'
import { countedAs, Throttles } from './http/limits/throttles.ts'
import { loggedPath } from './http/logged-path.ts'
import { mount } from './http/mount.ts'
import { hasBody } from './http/read-body.ts'
import { refuseSecondHost } from './http/second-host.ts'
import { UnsentAnswers } from './http/sending/unsent-answers.ts'
import { sendWarm, WarmAnswers } from './http/warm-answers.ts'
import { randomId } from './lib/digest.ts'
import { requestStarted } from './lib/yield-to-requests.ts'
import { countRefusal, observeRequests } from './metrics.ts'
import { findOpenPage, sendKeptPage } from './site/sending/kept-pages.ts'
import { servePages } from './site/serve.ts'
import { isTransfer, serveTransfers } from './transfers/serve.ts'

export { loadIntegrations } from './api/integrations/read-folder.ts'

/**
 * Returns the request handler of a context: an Express app with the API below /v1 and the routes
 * beside it, behind the cache of answers.
 */
export function makeApp(ctx: Context): RequestListener {
  const app = express()
  const warm = new WarmAnswers(ctx.store, ctx.caches.bytes('answers'))
  const throttles = new Throttles(ctx.config)
  const admission = new Admission()
  const observer = openObserver(ctx)
  const addressOf = (req: IncomingMessage) => clientAddress(req, ctx.config.trustProxy)
  const unsent = new UnsentAnswers({ groupOf: req => groupOf(ctx, req), onRefused: countRefusal })

  loadIntegrations(ctx)
  app.disable('x-powered-by')
  app.disable('etag')
  app.set('query parser', 'simple')
  app.set('case sensitive routing', true)
  app.set('trust proxy', ctx.config.trustProxy)
  app.use(observe(observer))
  app.use((req, _res, next) => {
    unsent.check(req)
    next()
  })
  app.use(refuseSecondHost)
  serveTransfers(app, ctx, {
    throttles,
    noteAuthFailure: (req, ...told) => noteAuthFailure(ctx, req, ...told),
  })
  mount(app, ctx, { prefix: '/v1', table: api, warm, throttles, admission })
  serveFiles(app, ctx)
  servePrints(app, ctx)
  serveSaml(app, ctx)
  serveOidc(app, ctx)
  serveSignIn(app, ctx, throttles)
  serveAssets(app, ctx)
  serveScripts(app, ctx)
  system(app, ctx, admission)
  servePages(app, { ctx, throttles, admission })
  app.use(notFound)
  app.use(fail(ctx))

  return (req, res) => {
    if (isEnding(req.socket)) return req.socket.destroy()
    const ready = warm.find(req)
    if (!ready && sendKept(ctx, { observer, unsent }, req, res)) return

    // Above the rate limit, the request takes the full path, which refuses it.
    if (!ready || throttles.take(countedAs(ready.whose, addressOf(req))) > 0) {
      closeWithConnection(req, res)
      markBusy(req.socket, res)
      // Limits, budgets, the log and a file's stream each listen for the end of a response.
      res.setMaxListeners(30)
      const ownPace = isTransfer(req.url ?? '')
      if (!ownPace) res.once('close', requestStarted())
      unsent.follow(req, res, { ownPace })
      return app(req, res)
    }

    const begun = observer.begin()
    const { userId, tokenId } = ready.whose
    if (userId !== undefined) ctx.tokenUses.note(tokenId, Date.now())

    const status = sendWarm(req, res, ready, begun.id)

    unsent.sent(req, res, ready.bytes)
    touchConnection(req.socket)
    observer.end(begun, req, { status, userId, ...(userId !== undefined && { tokenId }) })
  }
}

/**
 * Returns the group of addresses of a client; undefined for a proxy that does not name its client.
 */
function groupOf({ config }: Context, req: IncomingMessage): string | undefined {
  const address = clientAddress(req, config.trustProxy)
  const isDirect = req.headers['x-forwarded-for'] === undefined
  return isDirect && isProxy(address, config.trustProxy) ? undefined : addressGroup(address)
}

/**
 * Sends the kept page of a site. Returns false if there is none, or its bytes have to be encoded
 * for the client first.
 */
function sendKept(
  ctx: Context,
  { observer, unsent }: { observer: Observer; unsent: UnsentAnswers },
  req: IncomingMessage,
  res: ServerResponse,
): boolean {
  const page = findOpenPage(ctx, req)
  if (!page) return false
  const begun = observer.begin()
  const sent = sendKeptPage(req, res, page, begun.id)
  if (!sent) return false
  if (sent.bytes) unsent.sent(req, res, sent.bytes)
  touchConnection(req.socket)
  observer.end(begun, req, { status: sent.status })

  return true
}

/** Gives every request an id, a line in the log and the common headers. */
const observe =
  (observer: Observer): RequestHandler =>
  (req, res, next) => {
    const begun = observer.begin()
    res.locals.requestId = begun.id
    res.setHeader('X-Request-Id', begun.id)
    for (const name in answerHeaders) res.setHeader(name, answerHeaders[name] as string)
    hangUpOnUnread(req, res)
    res.on('close', () => {
      const { userId, tokenId } = res.locals as Pick<Outcome, 'userId' | 'tokenId'>
      const { statusCode: status, writableFinished } = res
      observer.end(begun, req, { status, userId, tokenId, ...(!writableFinished && { cut: true }) })
    })
    next()
  }

type Begun = { id: string; started: number }

/** The outcome of a request and its caller. */
type Outcome = {
  status: number
  userId?: string | undefined
  tokenId?: string | undefined
  /** The connection was closed before the whole response was sent. */
  cut?: boolean
}

type Observer = {
  begin: () => Begun
  end: (begun: Begun, req: IncomingMessage, outcome: Outcome) => void
}

/** Returns an observer that assigns request ids, and counts and logs requests when they end. */
function openObserver(ctx: Context): Observer {
  const count = observeRequests()
  const verbose = ctx.log.isLevelEnabled('info')
  const recordRead = readRecorder(ctx)
  const run = randomId(8)
  let last = 0

  return {
    begin: () => ({ id: `${run}-${(++last).toString(36)}`, started: performance.now() }),
    end: ({ id, started }, req, { status, userId, tokenId, cut }) => {
      const { method = '', url = '' } = req
      const ms = performance.now() - started
      if (!cut) count(method, status, ms)
      if (!verbose && !ctx.config.auditReads) return

      const path = loggedPath(url)
      const address = clientAddress(req, ctx.config.trustProxy)
      if (method === 'GET') recordRead({ path, status, requestId: id, address, userId, tokenId })
      if (!verbose) return

      const line = {
        id,
        method,
        path,
        status,
        ms: Math.round(ms * 10) / 10,
        address,
        userId,
        tokenId,
        cut,
      }

      ctx.log.info(line, 'request')
    },
  }
}

function notFound(req: Request, res: Response): void {
  const message = `There is no operation ${req.method} ${req.path.slice(0, 200)}. /v1/openapi.json lists all operations.`
  res.status(404).json({ error: { code: 404, message } })
}

/** The last error handler: turns a thrown value into a response, and logs unexpected ones. */
const fail =
  (ctx: Context): ErrorRequestHandler =>
  async (error, req, res, _next) => {
    // A small body that arrived with the head is complete after this turn, so the connection can be
    // kept.
    if (hasBody(req) && !req.complete) await setImmediate()
    const spaceId = /^\/v1\/spaces\/(\w{1,40})(?:\/|$)/.exec(req.path)?.[1]
    const { status, headers, body, expected, refusal } = failureOf(error, spaceId)
    const requestId = String(res.locals.requestId)
    if (status === 401) noteAuthFailure(ctx, req, requestId, refusal?.reason)
    else if (refusal) countRefusal(refusal.reason)
    if (!expected) ctx.log.error({ id: requestId, err: describeError(error) }, 'request failed')

    if (res.headersSent) {
      res.destroy()
      return
    }

    if (status === 401) res.setHeader('WWW-Authenticate', 'Bearer')
    res.set(headers)

    if (req.path.startsWith('/sso/'))
      sendPage(
        res,
        status,
        failurePage({ base: basePath(ctx), message: body.error.message, requestId }),
      )
    else res.status(status).json(body)
  }
