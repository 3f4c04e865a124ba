import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Express, Request, Response } from 'express'
import findMyWay, { type HTTPMethod } from 'find-my-way'
import type { z } from 'zod'
import { findActor, goodUntil } from '../access/actor.ts'
import type { Idempotency, RequestFacts } from '../access/asker.ts'
import { type NeededScope, scopeNeeded } from '../access/scopes.ts'
import type { Context } from '../context.ts'
import { Fault, invalid } from '../errors.ts'
import { freeBytes } from '../lib/free-bytes.ts'
import { writeTogether } from '../store/write-together.ts'
import { authorize, identify } from './authorize.ts'
import { jsonBody } from './body.ts'
import { BodyBudget } from './body-budget.ts'
import { notModified } from './conditional.ts'
import type { Bytes, Endpoint } from './endpoint.ts'
import { Answer, AtOnce, headersOf, nothing } from './endpoint.ts'
import { invalidInput } from './faults.ts'
import { answerBefore, idempotencyOf, rememberAnswer } from './idempotency.ts'
import { issueSentence } from './issue-sentence.ts'
import { readBody } from './read-body.ts'
import type { Throttles } from './throttles.ts'
import type { WarmAnswers } from './warm-answers.ts'

type Sendable = { status: number; body: string | undefined; headers: Record<string, string> }

/** Bytes that must be free on the disk for anything to be written. */
const leastRoom = 128 * 1024 * 1024

type Params = Record<string, string | undefined>

/** Longer ids and paths are no names of ours. */
const mostParam = 8192

/**
 * Serves every endpoint of the table below `prefix`. Express would try the paths one after the other; a tree of their
 * segments finds the one at once, however many there are.
 */
export function mount(
  app: Express,
  ctx: Context,
  { prefix, table, warm, throttles }: Served & { prefix: string; table: Record<string, Endpoint> },
): void {
  const server = { ctx, warm, throttles, budget: new BodyBudget(), write: writeTogether(ctx.store) }
  const router = findMyWay({
    ignoreTrailingSlash: true,
    maxParamLength: mostParam,
    querystringParser: () => ({}),
    onBadUrl: () => {
      throw invalid('The path has a "%" that stands for nothing: encode it as "%25".')
    },
  })
  for (const [key, endpoint] of Object.entries(table)) {
    const [method = '', path = ''] = key.split(' ')
    router.on(method as HTTPMethod, prefix + path.replace(/\*\w+$/, '*'), () => {}, {
      wildcard: /\*(\w+)$/.exec(path)?.[1],
      takesBody: endpoint.body !== undefined || method === 'POST',
      endpoint,
      scope: scopeNeeded(key),
    } satisfies Route)
  }
  app.use(async (req, res, next) => {
    const method = req.method === 'HEAD' ? 'GET' : req.method
    const found = router.find(method as HTTPMethod, req.url)
    if (!found) return next()
    if (!found.store) return found.handler(req, res, {}, undefined, {})
    const route = found.store as Route
    await serve(server, route, nameWildcard(found.params, route.wildcard), req, res)
  })
}

type Served = { warm: WarmAnswers; throttles: Throttles }

/** What every request is served with. */
type Server = Served & { ctx: Context; budget: BodyBudget; write: ReturnType<typeof writeTogether> }

/** What the router keeps with a path. */
type Route = {
  endpoint: Endpoint
  takesBody: boolean
  wildcard: string | undefined
  /** The scope that a token needs; undefined: none. */
  scope: NeededScope | undefined
}

/** The rest of a path comes under the name that the endpoint gave it. */
function nameWildcard(params: Params, wildcard: string | undefined): Params {
  if (wildcard === undefined) return params
  const { '*': rest, ...others } = params
  return { ...others, [wildcard]: rest }
}

/**
 * One request: params, then who asks, then access, then the body, then query and body, then the handler. Not a byte of a
 * body is read for somebody who may not do this, and nobody learns what is wrong with one before they may.
 */
async function serve(
  server: Server,
  { endpoint, takesBody, scope }: Pick<Route, 'endpoint' | 'takesBody' | 'scope'>,
  given: Params,
  req: Request,
  res: Response,
): Promise<void> {
  const { ctx: whole, warm, write, budget } = server
  // As of these rows is what is now read: when they change meanwhile, the answer is not one to be given again.
  const version = whole.store.version()
  const params = parse('path', endpoint.params, given)
  const asking = { endpoint, scope, params, req, res }
  const actor = identify(whole, server.throttles, req)
  if (actor.type === 'user') Object.assign(res.locals, { userId: actor.user.id, tokenId: actor.token.id })
  let allowed = await authorize(whole, asking, actor)
  if (req.method !== 'GET' && req.method !== 'HEAD') checkRoom(whole.config.dataDir)
  let bytes: Buffer = Buffer.alloc(0)
  if (takesBody) {
    const userId = actor.type === 'user' ? actor.user.id : ''
    bytes = await readBody(req, res, { budget, userId, limit: endpoint.bodyLimit })
    // While it came, the token or the role may have been taken away.
    const now = findActor(whole, req.headers.authorization)
    if (whole.store.version() !== version) allowed = await authorize(whole, asking, now)
  }
  const { ctx, granted } = allowed
  const request: RequestFacts = {
    ...allowed.request,
    idempotency: idempotencyOf(req, actor, bytes),
  }
  const query = endpoint.query ? parse('query', endpoint.query, req.query) : refuseQuery(req.query)
  const body = endpoint.body ? parseBody(endpoint, req, bytes) : undefined

  const handle = endpoint.handle as (input: unknown) => unknown
  const run = async () => handle({ ...(granted as object), ctx, actor, params, query, body, request })
  const idempotency = request.idempotency
  const header = req.headers.authorization
  const asked = { ctx, write, idempotency, checkToken: () => void findActor(ctx, header) }
  if (!idempotency) {
    const made = await conclude(asked, endpoint, await run())
    if (!('status' in made))
      warm.keep(req, req.originalUrl, made, { version, until: goodUntil(actor), actor })
    return send(req, res, made)
  }
  const sendable = await ctx.locks.run(`idempotency ${idempotency.userId} ${idempotency.key}`, async () => {
    const before = answerBefore(ctx, idempotency)
    if (before) return replayed(before)
    try {
      return await conclude(asked, endpoint, await run())
    } catch (error) {
      // What an earlier request with this key began may have been finished on the way: then this is its answer.
      const meanwhile = answerBefore(ctx, idempotency)
      if (!meanwhile) throw error
      return replayed(meanwhile)
    }
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
      undefined,
      { reason: 'disk', retryAfter: 60 },
    )
}

function parseBody(endpoint: Endpoint, req: Request, bytes: Buffer): unknown {
  const given = jsonBody(req.headers, bytes)
  if (given === undefined && !endpoint.bodyOptional) {
    throw invalid('Send a JSON body, with the header "Content-Type: application/json".')
  }
  return parse('body', endpoint.body as z.ZodType, given === undefined ? {} : given)
}

function parse(where: 'path' | 'query' | 'body', schema: z.ZodType, value: unknown): unknown {
  const parsed = schema.safeParse(value, { error: issueSentence })
  if (!parsed.success) throw invalidInput(where, parsed.error)
  return parsed.data
}

/** An operation without query parameters says so, rather than ignore what somebody meant. */
function refuseQuery(query: Request['query']): undefined {
  const name = Object.keys(query)[0]
  if (name !== undefined)
    throw invalid(`This operation takes no query parameter; "${name.slice(0, 60)}" was sent.`)
}

/** Makes the answer, and keeps it for the caller's key: in one transaction with the rows of work that is to be done at once. */
async function conclude(
  { ctx, write, idempotency, checkToken }: Asked,
  endpoint: Endpoint,
  result: unknown,
): Promise<Sendable | Bytes> {
  const end = (result: unknown) => {
    const made = finish(ctx, endpoint, result)
    if (idempotency && 'status' in made) rememberAnswer(ctx, idempotency, made)
    return made
  }
  if (!(result instanceof AtOnce)) return end(result)
  return write(() => {
    // What was written in the same breath may have taken the token away.
    checkToken()
    return end(result.work())
  })
}

type Asked = Pick<Server, 'ctx' | 'write'> & {
  idempotency: Idempotency | undefined
  /** Throws when the token cannot be used any more. */
  checkToken: () => void
}

const replayed = (kept: Sendable): Sendable => ({
  ...kept,
  headers: { ...kept.headers, 'Idempotent-Replayed': 'true' },
})

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
  // Secrets are in some of these answers, and rows that others may change in all.
  res.set({ 'Cache-Control': 'no-store', ...made.headers })
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
  const { bytes, etag, type } = made
  for (const [name, value] of Object.entries(headersOf(made))) res.setHeader(name, value)
  if (etag !== undefined && notModified(req.headers['if-none-match'], etag)) {
    res.status(304).end()
    return
  }
  res.setHeader('Content-Type', type ?? 'application/json; charset=utf-8')
  if (Buffer.isBuffer(bytes)) {
    res.setHeader('Content-Length', bytes.length)
    res.end(bytes)
    return
  }
  await pipeline(Readable.from(bytes), res)
}
