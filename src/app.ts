import type { ErrorRequestHandler, Express, RequestHandler } from 'express'
import express from 'express'
import { serveFiles } from './api/files/download.ts'
import { api } from './api/routes.ts'
import { system } from './api/system/routes.ts'
import type { Context } from './context.ts'
import { failureOf } from './http/faults.ts'
import { mount } from './http/mount.ts'
import { randomId } from './lib/digest.ts'
import { observeRequests } from './metrics.ts'

/** The Express app of a context: the API below /v1, and what is beside it. */
export function makeApp(ctx: Context): Express {
  const app = express()
  app.disable('x-powered-by')
  app.disable('etag')
  app.set('query parser', 'simple')
  app.set('case sensitive routing', true)
  app.use(observe(ctx))
  mount(app, ctx, '/v1', api)
  serveFiles(app, ctx)
  system(app, ctx)
  app.use(notThere)
  app.use(fail(ctx))
  return app
}

/** Gives every request an id and a line in the log; headers that hold for every answer. */
function observe(ctx: Context): RequestHandler {
  const count = observeRequests()
  const verbose = ctx.log.isLevelEnabled('info')
  const run = randomId(8)
  let last = 0
  return (req, res, next) => {
    const id = `${run}-${(++last).toString(36)}`
    const started = performance.now()
    res.locals.requestId = id
    res.setHeader('X-Request-Id', id)
    res.setHeader('X-Content-Type-Options', 'nosniff')
    res.on('finish', () => {
      const ms = performance.now() - started
      count(req.method, res.statusCode, ms)
      if (verbose) {
        const path = req.originalUrl.split('?', 1)[0]?.slice(0, 500)
        ctx.log.info(
          { id, method: req.method, path, status: res.statusCode, ms: Math.round(ms * 10) / 10 },
          'request',
        )
      }
    })
    next()
  }
}

const notThere: RequestHandler = (req, res) => {
  const message = `There is no ${req.method} ${req.path.slice(0, 200)} here. The operations are listed at /v1/openapi.json.`
  res.status(404).json({ error: { code: 404, message } })
}

/** The last resort: what was thrown becomes an answer, and what nobody expected a line in the log. */
const fail =
  (ctx: Context): ErrorRequestHandler =>
  (error, _req, res, _next) => {
    const { status, body, expected } = failureOf(error)
    if (!expected) ctx.log.error({ id: res.locals.requestId, err: describe(error) }, 'request failed')
    if (res.headersSent) {
      res.destroy()
      return
    }
    if (status === 401) res.setHeader('WWW-Authenticate', 'Bearer')
    if (status === 429 || status === 503) res.setHeader('Retry-After', '2')
    res.status(status).json(body)
  }

/** An error for the operator's log: its stack, and what Git said where it was Git. */
const describe = (error: unknown): Record<string, unknown> =>
  error instanceof Error
    ? { name: error.name, stack: error.stack, ...('trace' in error && { trace: error.trace }) }
    : { name: typeof error }
