import type { IncomingMessage, RequestListener } from 'node:http'
import type { ErrorRequestHandler, RequestHandler } from 'express'
import express from 'express'
import { serveFiles } from './api/files/download.ts'
import { servePrints } from './api/pdf/download.ts'
import { api } from './api/routes.ts'
import { system } from './api/system/routes.ts'
import type { Context } from './context.ts'
import { failureOf } from './http/faults.ts'
import { mount } from './http/mount.ts'
import { sendWarm, WarmAnswers } from './http/warm-answers.ts'
import { randomId } from './lib/digest.ts'
import { begin } from './lib/give-way.ts'
import { observeRequests } from './metrics.ts'

/**
 * What answers the requests of a context: the API below /v1, and what is beside it, as an Express app, before which stand
 * the answers that can be given again as they are.
 */
export function makeApp(ctx: Context): RequestListener {
  const app = express()
  const warm = new WarmAnswers(ctx.store)
  const observer = openObserver(ctx)
  app.disable('x-powered-by')
  app.disable('etag')
  app.set('query parser', 'simple')
  app.set('case sensitive routing', true)
  app.set('trust proxy', ctx.config.trustProxy)
  app.use(observe(observer))
  mount(app, ctx, { prefix: '/v1', table: api, warm })
  serveFiles(app, ctx)
  servePrints(app, ctx)
  system(app, ctx)
  app.use(notThere)
  app.use(fail(ctx))
  return (req, res) => {
    const ready = warm.find(req)
    if (!ready) {
      res.once('close', begin())
      return app(req, res)
    }
    const begun = observer.begin()
    observer.end(begun, req, sendWarm(req, res, ready, begun.id))
  }
}

/** Gives every request an id and a line in the log; headers that hold for every answer. */
const observe =
  (observer: Observer): RequestHandler =>
  (req, res, next) => {
    const begun = observer.begin()
    res.locals.requestId = begun.id
    res.setHeader('X-Request-Id', begun.id)
    res.setHeader('X-Content-Type-Options', 'nosniff')
    res.on('finish', () => observer.end(begun, req, res.statusCode))
    next()
  }

type Begun = { id: string; started: number }
type Observer = {
  begin: () => Begun
  end: (begun: Begun, req: IncomingMessage, status: number) => void
}

/** Names requests, and counts and logs them once they are answered. */
function openObserver(ctx: Context): Observer {
  const count = observeRequests()
  const verbose = ctx.log.isLevelEnabled('info')
  const run = randomId(8)
  let last = 0
  return {
    begin: () => ({ id: `${run}-${(++last).toString(36)}`, started: performance.now() }),
    end: ({ id, started }, { method = '', url = '' }, status) => {
      const ms = performance.now() - started
      count(method, status, ms)
      if (!verbose) return
      const path = loggedPath(url)
      ctx.log.info({ id, method, path, status, ms: Math.round(ms * 10) / 10 }, 'request')
    },
  }
}

/** Returns a request's path as the log shows it: without the query, and without the secrets of invite links. */
const loggedPath = (url: string): string | undefined =>
  url
    .split('?', 1)[0]
    ?.slice(0, 500)
    .replace(/(invites\/+)[^/]+/gi, '$1[redacted]')

const notThere: RequestHandler = (req, res) => {
  const message = `There is no ${req.method} ${req.path.slice(0, 200)} here. The operations are listed at /v1/openapi.json.`
  res.status(404).json({ error: { code: 404, message } })
}

/** The last resort: what was thrown becomes an answer, and what nobody expected a line in the log. */
const fail =
  (ctx: Context): ErrorRequestHandler =>
  (error, req, res, _next) => {
    const spaceId = /^\/v1\/spaces\/(\w{1,40})(?:\/|$)/.exec(req.path)?.[1]
    const { status, body, expected } = failureOf(error, spaceId)
    if (!expected) ctx.log.error({ id: res.locals.requestId, err: describe(error) }, 'request failed')
    if (res.headersSent) {
      res.destroy()
      return
    }
    if (status === 401) res.setHeader('WWW-Authenticate', 'Bearer')
    if (status === 429 || status === 503) res.setHeader('Retry-After', '2')
    res.status(status).json(body)
  }

/** An error for the operator's log: its stack, and where it was Git what it said, and of which object. */
const describe = (error: unknown): Record<string, unknown> =>
  error instanceof Error
    ? {
        name: error.name,
        stack: error.stack,
        ...('trace' in error && { trace: error.trace }),
        ...('detail' in error && { detail: error.detail }),
      }
    : { name: typeof error }
