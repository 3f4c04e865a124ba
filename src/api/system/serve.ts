import { timingSafeEqual } from 'node:crypto'
import { isIP } from 'node:net'
import type { Express, Request, RequestHandler } from 'express'
import { readiness } from '../../actions/upkeep/readiness.ts'
import type { Context } from '../../context.ts'
import { Fault } from '../../errors.ts'
import { failureAtGate } from '../../http/behind-gate.ts'
import { etagOf } from '../../http/conditional.ts'
import type { ServerDocument } from '../../http/document/kept-document.ts'
import type { Admission } from '../../http/limits/admission.ts'
import { isLoopback } from '../../http/limits/client-address.ts'
import { ReadyAnswer, sendReady, variesByEncoding } from '../../http/sending/ready-answer.ts'
import { sha256 } from '../../lib/digest.ts'
import { metricsText, metricsType } from '../../metrics.ts'
import { listStuckSpaces } from '../../store/git/intents.ts'

/** Serves the routes beside the API: health, metrics and the OpenAPI document. */
export function system(
  app: Express,
  ctx: Context,
  admission: Admission,
  documentOf: ServerDocument,
): void {
  app.get('/healthz', sendHealth)
  app.get('/readyz', sendReadiness(ctx))
  app.get('/metrics', sendMetrics(ctx, admission))
  let sent: { document: object; answer: ReadyAnswer } | undefined

  app.get('/v1/openapi.json', (req, res) => {
    const document = documentOf()
    if (sent?.document !== document) sent = { document, answer: documentAnswer(document) }
    return sendReady(req, res, sent.answer)
  })
}

/** Returns the answer with the document, which is public and may be read from other origins. */
function documentAnswer(document: object): ReadyAnswer {
  const bytes = Buffer.from(JSON.stringify(document))
  const headers = {
    'Access-Control-Allow-Origin': '*',
    'Cache-Control': 'no-cache',
    ...variesByEncoding,
  }
  return new ReadyAnswer({
    status: 200,
    etag: etagOf(bytes),
    bytes,
    headers,
    isEncoded: true,
  })
}

type Away = {
  admission: Admission
  /** Whether a path is that of a page, whatever the server has there. */
  isOnHostOfSite: (ctx: Context, req: Request) => boolean
}

/**
 * Answers requests that did not pass the gate: the database does not answer. The routes that tell so
 * work without it. They come before the sites, whose hosts are rows.
 */
export function serveAway(app: Express, ctx: Context, { admission, isOnHostOfSite }: Away): void {
  // A request for /healthz does not wait at the gate: the database may be away, and nothing knows it yet.
  const isPage = (req: Request) => {
    try {
      return ctx.store.gate?.hasFailed === false && isOnHostOfSite(ctx, req)
    } catch {
      return false
    }
  }
  app.get('/healthz', (req, res, next) => (isPage(req) ? next() : sendHealth(req, res, next)))
  const sendUnready = sendReadiness(ctx)
  app.get('/readyz', (req, res, next) =>
    failureAtGate(req) === undefined ? next() : sendUnready(req, res, next),
  )
  const metrics = sendMetrics(ctx, admission)
  app.use((req, res, next) => {
    const failure = failureAtGate(req)
    if (failure !== undefined && req.path === '/metrics') return metrics(req, res, next)
    next(failure)
  })
}

const sendHealth: RequestHandler = (_req, res) => void res.json({ status: 'ok' })

const sendReadiness =
  (ctx: Context): RequestHandler =>
  async (_req, res) => {
    await ctx.caches.get(readiness).reached
    const { readOnly } = ctx.config
    const database = stateOfDatabase(ctx)
    if (database && !database.answers)
      return void res.status(503).json({ status: 'unavailable', readOnly, database })
    const isReady = !database || Math.abs(database.clockAheadSeconds) <= mostClockSeconds
    // One read-only space must not take the server out of a load balancer.
    res.status(isReady ? 200 : 503).json({
      status: isReady ? 'ok' : 'unavailable',
      readOnly,
      readOnlySpaces: listStuckSpaces(ctx.store, ctx.now()).length,
      ...(database && { database }),
    })
  }

/**
 * How far the clock of a node may differ from that of the database: tokens would end at another time
 * than at the other nodes.
 */
const mostClockSeconds = 5

/** Returns what this node knows of a database on another machine; undefined: it is a file. */
function stateOfDatabase({ store: { gate } }: Context) {
  if (!gate) return undefined
  const { ageMs, clockLeadMs } = gate
  return {
    answers: !gate.hasFailed,
    // JSON has no infinity: null before the first look.
    lookedSecondsAgo: Number.isFinite(ageMs) ? Math.round(ageMs) / 1000 : null,
    clockAheadSeconds: Math.round(clockLeadMs) / 1000,
  }
}

const sendMetrics =
  (ctx: Context, admission: Admission): RequestHandler =>
  async (req, res) => {
    if (!mayReadMetrics(ctx, req))
      throw new Fault(
        'metrics_private',
        'Metrics are only available from this machine under its own name, or with STEMMA_METRICS_TOKEN as the Bearer token.',
      )
    res.type(metricsType).send(await metricsText(ctx, admission.loads))
  }

function mayReadMetrics(ctx: Context, req: Request): boolean {
  const wanted = ctx.config.metricsToken
  const given = /^bearer (\S+)$/i.exec(req.headers.authorization ?? '')?.[1]
  if (wanted && given && timingSafeEqual(Buffer.from(sha256(wanted)), Buffer.from(sha256(given))))
    return true
  // A local proxy forwards remote clients.
  const direct = req.headers['x-forwarded-for'] === undefined && req.headers.forwarded === undefined
  return direct && isLoopback(req.socket.remoteAddress ?? '') && isOwnName(ctx, req.headers.host)
}

/**
 * Returns whether a Host header names this server. A page of another site, open in a browser on
 * this machine, may resolve its own name to 127.0.0.1 (DNS rebinding) and could then read the
 * metrics.
 */
function isOwnName({ config, publicUrl }: Context, header: string | undefined): boolean {
  if (header === undefined) return true
  const name = header
    .toLowerCase()
    .replace(/:\d*$/, '')
    .replace(/^\[(.*)\]$/, '$1')
  if (name === 'localhost' || (isIP(name) !== 0 && isLoopback(name))) return true

  return (
    name === config.host.toLowerCase() ||
    name === new URL(publicUrl()).hostname.replace(/^\[(.*)\]$/, '$1')
  )
}
