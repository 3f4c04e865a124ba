import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Express, Request, RequestHandler, Response } from 'express'
import findMyWay, { type HTTPMethod } from 'find-my-way'
import type { z } from 'zod'
import { findActor, goodUntil } from '../access/actor.ts'
import { admitToken } from '../access/admit-token.ts'
import type { Idempotency, RequestFacts } from '../access/asker.ts'
import { type NeededScope, scopeNeeded } from '../access/scopes.ts'
import { signedIn } from '../access/space.ts'
import type { Context } from '../context.ts'
import { Fault, invalid } from '../errors.ts'
import { freeBytes } from '../lib/free-bytes.ts'
import { writeTogether } from '../store/write-together.ts'
import { jsonBody, readBytes, reserve, smallBody } from './body.ts'
import { notModified } from './conditional.ts'
import type { Bytes, Endpoint } from './endpoint.ts'
import { Answer, AtOnce, headersOf, nothing } from './endpoint.ts'
import { invalidInput } from './faults.ts'
import { goneOf } from './gone.ts'
import { answerBefore, idempotencyOf, rememberAnswer } from './idempotency.ts'
import { issueSentence } from './issue-sentence.ts'
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
  { prefix, table, warm }: { prefix: string; table: Record<string, Endpoint>; warm: WarmAnswers },
): void {
  const server = { ctx, warm, write: writeTogether(ctx.store) }
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
      steps:
        endpoint.body || method === 'POST'
          ? [admit(ctx, endpoint.bodyLimit), readBytes(endpoint.bodyLimit)]
          : [],
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
    for (const step of route.steps) await stepped(step, req, res)
    await serve(server, route, nameWildcard(found.params, route.wildcard), req, res)
  })
}

/** What every request is served with. */
type Server = { ctx: Context; warm: WarmAnswers; write: ReturnType<typeof writeTogether> }

/** What the router keeps with a path. */
type Route = {
  endpoint: Endpoint
  steps: RequestHandler[]
  wildcard: string | undefined
  /** What a token must be allowed to do; undefined: nothing. */
  scope: NeededScope | undefined
}

/** Lets a middleware do its part; what it refuses is thrown. */
const stepped = (step: RequestHandler, req: Request, res: Response): Promise<void> =>
  new Promise((resolve, reject) => {
    step(req, res, (error?: unknown) => (error ? reject(error) : resolve()))
  })

/** The rest of a path comes under the name that the endpoint gave it. */
function nameWildcard(params: Params, wildcard: string | undefined): Params {
  if (wildcard === undefined) return params
  const { '*': rest, ...others } = params
  return { ...others, [wildcard]: rest }
}

/** A large body is read only from those whom we know, and not too many at once. */
const admit =
  (ctx: Context, limit: number): RequestHandler =>
  (req, res, next) => {
    if (limit > smallBody) {
      signedIn(findActor(ctx, req.headers.authorization))
      reserve(req, res, limit)
    }
    next()
  }

/**
 * One request: params, then access, then query and body, then the handler. Nobody learns what is wrong with
 * a body before we know who they are.
 */
async function serve(
  { ctx: whole, warm, write }: Server,
  { endpoint, scope }: Pick<Route, 'endpoint' | 'scope'>,
  given: Params,
  req: Request,
  res: Response,
): Promise<void> {
  // As of these rows is what is now read: when they change meanwhile, the answer is not one to be given again.
  const version = whole.store.version()
  const params = parse('path', endpoint.params, given)
  const actor = findActor(whole, req.headers.authorization)
  const ctx = admitToken(whole, actor, scope, params)
  const id = String(res.locals.requestId ?? '')
  const request: RequestFacts = {
    id,
    gone: goneOf(res),
    method: req.method,
    url: req.originalUrl,
    header: name => req.get(name),
    idempotency: idempotencyOf(req, actor),
    origin: {
      requestId: id,
      address: req.ip ?? '',
      tokenId: actor.type === 'user' ? actor.token.id : null,
    },
  }
  const granted = await (endpoint.access as (asker: unknown) => unknown)({ ctx, actor, params, request })
  if (req.method !== 'GET' && req.method !== 'HEAD') checkRoom(ctx.config.dataDir)
  const query = endpoint.query ? parse('query', endpoint.query, req.query) : refuseQuery(req.query)
  const body = endpoint.body ? parseBody(endpoint, req) : undefined

  const handle = endpoint.handle as (input: unknown) => unknown
  const run = async () => handle({ ...(granted as object), ctx, actor, params, query, body, request })
  const idempotency = request.idempotency
  const header = req.headers.authorization
  const asked = { ctx, write, idempotency, checkToken: () => void findActor(ctx, header) }
  if (!idempotency) {
    const made = await conclude(asked, endpoint, await run())
    if (!('status' in made)) warm.keep(req, req.originalUrl, made, { version, until: goodUntil(actor) })
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
