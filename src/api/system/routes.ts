import { timingSafeEqual } from 'node:crypto'
import type { Express, Request } from 'express'
import type { Context } from '../../context.ts'
import { openApiDocument } from '../../http/openapi.ts'
import { sha256 } from '../../lib/digest.ts'
import { metricsText, metricsType } from '../../metrics.ts'
import { listStuckSpaces } from '../../store/operations.ts'
import { api } from '../routes.ts'
import { serveDocs } from './docs.ts'

/** What is beside the API: health, metrics, the document and the page that shows it. */
export function system(app: Express, ctx: Context): void {
  // Whoever opens the bare address in a browser looks for something to read.
  app.get('/', (_req, res) => {
    res.redirect(302, '/docs')
  })
  app.get('/healthz', (_req, res) => {
    res.json({ status: 'ok' })
  })
  app.get('/readyz', (_req, res) => {
    // A space that cannot be written to keeps nobody from all that can be done: whoever sends requests here goes on.
    res.json({ status: 'ok', readOnlySpaces: listStuckSpaces(ctx.store, ctx.now()).length })
  })
  app.get('/metrics', async (req, res) => {
    if (!mayReadMetrics(ctx, req)) {
      const message = 'Metrics are for this machine, or for those who send STEMMA_METRICS_TOKEN as Bearer.'
      res.status(403).json({ error: { code: 403, message } })
      return
    }
    res.type(metricsType).send(await metricsText(ctx))
  })
  let document: { server: string; text: string } | undefined
  app.get('/v1/openapi.json', (_req, res) => {
    const server = ctx.publicUrl()
    if (document?.server !== server) {
      document = { server, text: JSON.stringify(openApiDocument(api, '/v1', server)) }
    }
    // Pages of other servers show descriptions too; this one says the same to everybody.
    res.set('Access-Control-Allow-Origin', '*').type('application/json').send(document.text)
  })
  serveDocs(app)
}

const loopback = /^(?:127\.|::1$|::ffff:127\.)/

function mayReadMetrics(ctx: Context, req: Request): boolean {
  const wanted = ctx.config.metricsToken
  const given = /^bearer (\S+)$/i.exec(req.headers.authorization ?? '')?.[1]
  if (wanted && given && timingSafeEqual(Buffer.from(sha256(wanted)), Buffer.from(sha256(given)))) return true
  // A proxy on this machine speaks for others.
  const direct = req.headers['x-forwarded-for'] === undefined && req.headers.forwarded === undefined
  return direct && loopback.test(req.socket.remoteAddress ?? '')
}
