import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { setImmediate } from 'node:timers/promises'
import type { ErrorRequestHandler, Express, Request, RequestHandler, Response } from 'express'
import express from 'express'
import { serveFiles } from './api/content/files/download.ts'
import { servePrints } from './api/content/pdf/download.ts'
import { isUpload, serveUploads } from './api/content/uploads/receive.ts'
import { readExamples } from './api/examples/read-examples.ts'
import { readRecorder } from './api/people/audit/record-reads.ts'
import { sentEvents } from './api/people/webhooks/events.ts'
import { api } from './api/routes.ts'
import { serveAssets } from './api/sites/integrations/assets.ts'
import { serveScripts } from './api/sites/integrations/scripts.ts'
import { serveAway, system } from './api/system/serve.ts'
import type { Context } from './context.ts'
import { Fault } from './errors.ts'
import { answerHeaders } from './http/answer-headers.ts'
import { behindGate, failureAtGate } from './http/behind-gate.ts'
import { isAllowedOrigin } from './http/cors.ts'
import { keptDocument } from './http/document/kept-document.ts'
import { describeError, failureOf } from './http/faults.ts'
import { findKept } from './http/kept-answers.ts'
import { replies, replyKey } from './http/kept-replies.ts'
import { Admission } from './http/limits/admission.ts'
import { addressGroup, clientAddress, isProxy } from './http/limits/client-address.ts'
import { closeWithConnection, markBusy, touchConnection } from './http/limits/connections.ts'
import { hangUpOnUnread, isEnding } from './http/limits/hang-up.ts'
import { countedAs, Throttles } from './http/limits/throttles.ts'
import { loggedPath } from './http/logged-path.ts'
import { mount } from './http/mount.ts'
import { hasBody } from './http/receiving/read-body.ts'
import { checkHosts } from './http/second-host.ts'
import { sendAtOnce } from './http/sending/ready-answer.ts'
import { UnsentAnswers } from './http/sending/unsent-answers.ts'
import { loadIntegrations } from './integrations/read-folder.ts'
import { randomId } from './lib/digest.ts'
import { requestStarted } from './lib/yield-to-requests.ts'
import { countRefusal, observeRequests } from './metrics.ts'
import { failurePage } from './sign-in/failure-page.tsx'
import { basePath, sendPage } from './sign-in/layout.tsx'
import { noteAuthFailure } from './sign-in/note-auth-failure.ts'
import { serveSignIn } from './sign-in/serve.ts'
import { serveOidc } from './sign-in/serve-oidc.ts'
import { serveSaml } from './sign-in/serve-saml.ts'
import { serveManual } from './site/manual/serve.ts'
import { isOnHostOfSite } from './site/place/on-host-of-site.ts'
import { acceptsHtml } from './site/sending/accepts.ts'
import { countRead } from './site/sending/count-read.ts'
import { findOpenPage } from './site/sending/kept-pages.ts'
import { answerPages, serveHostsOfSites } from './site/serve.ts'
import { sendSentence } from './transfers/answer.ts'
import { isTransfer, serveTransfers } from './transfers/serve.ts'
import { serveWorkbench } from './workbench/serve.ts'

export { loadIntegrations } from './integrations/read-folder.ts'

/**
 * Returns the request handler of a context: an Express app with the API below /v1 and the routes
 * beside it, behind the cache of answers.
 */
export function makeApp(ctx: Context): RequestListener {
  const app = newExpress(ctx)
  const throttles = new Throttles(ctx)
  const admission = new Admission()
  const observer = openObserver(ctx)
  const unsent = new UnsentAnswers({ groupOf: req => groupOf(ctx, req), onRefused: countRefusal })

  loadIntegrations(ctx)
  app.use(observe(observer))
  app.use((req, _res, next) => {
    unsent.check(req)
    checkHosts(req)
    next()
  })
  if (ctx.store.gate) serveAway(app, ctx, { admission, isOnHostOfSite })
  const pages = answerPages({ ctx, throttles, admission })
  serveHostsOfSites(app, ctx, { pages, otherwise: notFound })
  serveTransfers(app, ctx, {
    throttles,
    noteAuthFailure: (req, ...told) => noteAuthFailure(ctx, req, ...told),
  })
  mount(app, ctx, { prefix: '/v1', table: api, throttles, admission })
  serveFiles(app, ctx)
  servePrints(app, ctx)
  serveUploads(app, ctx)
  serveSaml(app, ctx)
  serveOidc(app, ctx)
  serveSignIn(app, ctx, throttles)
  serveAssets(app, ctx)
  serveScripts(app, ctx)
  const documentOf = keptDocument(ctx, api, '/v1', sentEvents, readExamples)
  system(app, ctx, admission, documentOf)
  serveManual(app, ctx, { documentOf, admission })
  serveWorkbench(app, { ctx, throttles, admission })
  app.use(pages)
  app.use(notFound)
  app.use(fail(ctx))

  const sendKept = keptSender(ctx, { throttles, observer, unsent })

  const run: RequestListener = (req, res) => {
    // Limits, budgets, the log and a file's stream each listen for the end of a response.
    res.setMaxListeners(30)
    const ownPace = isTransfer(req.url ?? '') || isUpload(req.url ?? '')
    if (!ownPace) res.once('close', requestStarted())
    unsent.follow(req, res, { ownPace })
    app(req, res)
  }

  return listener(ctx, sendKept, run)
}

/** Returns a function that sends an answer that is kept, and tells whether there is one. */
function keptSender(
  ctx: Context,
  parts: { throttles: Throttles; observer: Observer; unsent: UnsentAnswers },
): Sender {
  const { throttles, observer, unsent } = parts
  const kept = ctx.caches.get(replies)

  return (req, res) => {
    // A page of another origin needs headers that depend on it.
    if (isAllowedOrigin(ctx.config, req.headers.origin)) return false
    const reply = req.method === 'GET' && findKept(ctx.store, kept, replyKey(req, req.url))
    const { answer, whose } = reply || { answer: findOpenPage(ctx, req), whose: undefined }
    // Above the rate limit, the request takes the full path, which refuses it.
    const name = whose && countedAs(whose, clientAddress(req, ctx.config.trustProxy))
    const isRefused = name !== undefined && throttles.take(name) > 0
    if (!answer || isRefused) return false

    const begun = observer.begin()
    const own = ['X-Request-Id', begun.id]
    const head = name === undefined ? own : own.concat(throttles.headers(name))
    const sent = sendAtOnce(req, res, answer, head)
    if (!sent) return false
    const user = whose?.userId === undefined ? undefined : whose
    if (user) ctx.tokenUses.note(user.tokenId, ctx.store.time)
    if (sent.bytes) unsent.sent(req, res, sent.bytes)
    if (!reply) countRead(ctx, req, answer)
    touchConnection(req.socket)
    observer.end(begun, req, { ...user, status: sent.status })
    return true
  }
}

type Sender = (req: IncomingMessage, res: ServerResponse) => boolean

/** Returns what answers requests: behind a gate, where other nodes write the same rows. */
function listener(
  { store: { gate } }: Context,
  sendKept: Sender,
  run: RequestListener,
): RequestListener {
  if (gate) {
    const answer = behindGate(gate, (req, res) => {
      if (failureAtGate(req) !== undefined || !sendKept(req, res)) run(req, res)
    })
    return (req, res) => (isEnding(req.socket) ? req.socket.destroy() : answer(req, res))
  }

  return (req, res) => {
    if (isEnding(req.socket)) return req.socket.destroy()
    if (sendKept(req, res)) return
    closeWithConnection(req, res)
    markBusy(req.socket, res)
    run(req, res)
  }
}

function newExpress({ config }: Context): Express {
  const app = express()
  app.disable('x-powered-by')
  app.disable('etag')
  app.set('query parser', 'simple')
  app.set('case sensitive routing', true)
  app.set('trust proxy', config.trustProxy)
  return app
}

/**
 * Returns the group of addresses of a client; undefined for a proxy that does not name its client.
 */
function groupOf({ config }: Context, req: IncomingMessage): string | undefined {
  const address = clientAddress(req, config.trustProxy)
  const isDirect = req.headers['x-forwarded-for'] === undefined
  return isDirect && isProxy(address, config.trustProxy) ? undefined : addressGroup(address)
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
  const { status, body } = failureOf(new Fault('unknown_operation', message))
  res.status(status).json(body)
}

/** The paths of pages: what fails there is answered with a page. */
const forPeople = /^\/(?:sso|app|join)\//

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
    if (status === 401) noteAuthFailure(ctx, req, requestId, refusal?.label)
    else if (refusal) countRefusal(refusal.label)
    if (!expected) ctx.log.error({ id: requestId, err: describeError(error) }, 'request failed')

    if (res.headersSent) {
      res.destroy()
      return
    }

    if (status === 401) res.setHeader('WWW-Authenticate', 'Bearer')
    res.set(headers)

    const isAway = failureAtGate(req) !== undefined
    if (isAway && isTransfer(req.originalUrl)) sendSentence(res, status, body.error.message)
    else if (forPeople.test(req.path) || (isAway && acceptsHtml(req.headers.accept)))
      sendPage(
        res,
        status,
        failurePage({ base: basePath(ctx), message: body.error.message, requestId }),
      )
    else res.status(status).json(body)
  }
