import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Express, Request, RequestHandler, Response } from 'express'
import type { z } from 'zod'
import { findActor } from '../access/actor.ts'
import type { RequestFacts } from '../access/asker.ts'
import { signedIn } from '../access/space.ts'
import type { Context } from '../context.ts'
import { Fault, invalid } from '../errors.ts'
import { freeBytes } from '../lib/free-bytes.ts'
import { jsonBody, readBytes, reserve, smallBody } from './body.ts'
import { notModified } from './conditional.ts'
import type { Bytes, Endpoint } from './endpoint.ts'
import { Answer, nothing } from './endpoint.ts'
import { invalidInput } from './faults.ts'
import { answerBefore, idempotencyOf, rememberAnswer } from './idempotency.ts'

type Sendable = { status: number; body: string | undefined; headers: Record<string, string> }

/** Bytes that must be free on the disk for anything to be written. */
const leastRoom = 128 * 1024 * 1024

const pass: RequestHandler = (_req, _res, next) => next()

/** Serves every endpoint of the table below `prefix`. */
export function mount(app: Express, ctx: Context, prefix: string, table: Record<string, Endpoint>): void {
  for (const [key, endpoint] of Object.entries(table)) {
    const [method = '', path = ''] = key.split(' ')
    const register = app[method.toLowerCase() as 'get'].bind(app)
    const read = endpoint.body || method === 'POST' ? readBytes(endpoint.bodyLimit) : pass
    register(prefix + path, admit(ctx, endpoint.bodyLimit), read, (req: Request, res: Response) =>
      serve(ctx, endpoint, req, res),
    )
  }
}

/** A large body is read only from those whom we know, and not too many at once. */
const admit = (ctx: Context, limit: number): RequestHandler =>
  limit <= smallBody
    ? pass
    : (req, res, next) => {
        signedIn(findActor(ctx, req.headers.authorization))
        reserve(req, res, limit)
        next()
      }

/**
 * One request: params, then access, then query and body, then the handler. Nobody learns what is wrong with
 * a body before we know who they are.
 */
async function serve(ctx: Context, endpoint: Endpoint, req: Request, res: Response): Promise<void> {
  const params = parse('path', endpoint.params, joinWildcards(req.params))
  const actor = findActor(ctx, req.headers.authorization)
  const request: RequestFacts = {
    id: String(res.locals.requestId ?? ''),
    method: req.method,
    url: req.originalUrl,
    header: name => req.get(name),
    idempotency: idempotencyOf(req, actor),
  }
  const granted = await (endpoint.access as (asker: unknown) => unknown)({ ctx, actor, params, request })
  if (req.method !== 'GET' && req.method !== 'HEAD') checkRoom(ctx.config.dataDir)
  const query = endpoint.query ? parse('query', endpoint.query, req.query) : refuseQuery(req.query)
  const body = endpoint.body ? parseBody(endpoint, req) : undefined

  const handle = endpoint.handle as (input: unknown) => unknown
  const run = async () => handle({ ...(granted as object), ctx, actor, params, query, body, request })
  const idempotency = request.idempotency
  if (!idempotency) return send(req, res, await finish(ctx, endpoint, await run()))
  const sendable = await ctx.locks.run(`idempotency ${idempotency.userId} ${idempotency.key}`, async () => {
    const before = answerBefore(ctx, idempotency)
    if (before) return { ...before, headers: { ...before.headers, 'Idempotent-Replayed': 'true' } }
    const made = await finish(ctx, endpoint, await run())
    if ('status' in made) rememberAnswer(ctx, idempotency, made)
    return made
  })
  await send(req, res, sendable)
}

/**
 * Refuses to write on a disk that is almost full, where the refs of an operation might still move and its rows could not
 * be written any more.
 */
function checkRoom(dataDir: string): void {
  if (freeBytes(dataDir) < leastRoom)
    throw new Fault(
      'no_space',
      'The disk of the server is almost full: nothing is written until there is room.',
    )
}

function parseBody(endpoint: Endpoint, req: Request): unknown {
  const given = jsonBody(req)
  if (given === undefined && !endpoint.bodyOptional) {
    throw invalid('Send a JSON body, with the header "Content-Type: application/json".')
  }
  return parse('body', endpoint.body as z.ZodType, given === undefined ? {} : given)
}

function parse(where: 'path' | 'query' | 'body', schema: z.ZodType, value: unknown): unknown {
  const parsed = schema.safeParse(value)
  if (!parsed.success) throw invalidInput(where, parsed.error)
  return parsed.data
}

/** An operation without query parameters says so, rather than ignore what somebody meant. */
function refuseQuery(query: Request['query']): undefined {
  const name = Object.keys(query)[0]
  if (name !== undefined)
    throw invalid(`This operation takes no query parameter; "${name.slice(0, 60)}" was sent.`)
}

/** Express gives a wildcard as a list of segments; a path is one text. */
const joinWildcards = (params: Request['params']): Record<string, string> =>
  Object.fromEntries(
    Object.entries(params).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join('/') : String(value),
    ]),
  )

function finish(ctx: Context, endpoint: Endpoint, result: unknown): Sendable | Bytes {
  if (isBytes(result)) return result
  const answer = result instanceof Answer ? result : new Answer(result)
  if (endpoint.reply === nothing)
    return { status: answer.status ?? endpoint.status, body: undefined, headers: answer.headers }
  if (ctx.config.checkReplies && typeof endpoint.reply === 'object') endpoint.reply.parse(answer.body)
  return {
    status: answer.status ?? endpoint.status,
    body: JSON.stringify(answer.body),
    headers: answer.headers,
  }
}

const isBytes = (result: unknown): result is Bytes =>
  typeof result === 'object' && result !== null && 'bytes' in result && !(result instanceof Answer)

async function send(req: Request, res: Response, made: Sendable | Bytes): Promise<void> {
  if (!('status' in made)) return sendBytes(req, res, made)
  res.set(made.headers)
  res.status(made.status)
  if (made.body === undefined) {
    res.end()
    return
  }
  res.setHeader('Content-Type', 'application/json; charset=utf-8')
  res.setHeader('Content-Length', Buffer.byteLength(made.body))
  res.end(made.body)
}

async function sendBytes(req: Request, res: Response, made: Bytes): Promise<void> {
  const { bytes, etag, type, cacheControl, headers } = made
  res.setHeader('Cache-Control', cacheControl ?? 'private, no-cache')
  for (const name in headers) res.setHeader(name, headers[name] as string)
  if (etag !== undefined) {
    res.setHeader('ETag', `"${etag}"`)
    if (notModified(req.headers['if-none-match'], etag)) {
      res.status(304).end()
      return
    }
  }
  res.setHeader('Content-Type', type ?? 'application/json; charset=utf-8')
  if (Buffer.isBuffer(bytes)) {
    res.setHeader('Content-Length', bytes.length)
    res.end(bytes)
    return
  }
  await pipeline(Readable.from(bytes), res)
}
