import type { Express, Request, Response } from 'express'
import findMyWay, { type HTTPMethod } from 'find-my-way'
import type { z } from 'zod'
import { findActor, goodUntil } from '../access/actor.ts'
import type { Actor, Idempotency, RequestFacts } from '../access/asker.ts'
import { type NeededScope, scopeNeeded } from '../access/scopes.ts'
import type { Context } from '../context.ts'
import { invalid } from '../errors.ts'
import { keepNewAnswer } from '../store/events/idempotency.ts'
import { writeTogether } from '../store/write-together.ts'
import { authorize, identify } from './authorize.ts'
import { jsonBody } from './body.ts'
import type { Bytes, Endpoint } from './endpoint.ts'
import { Answer, InTransaction, nothing } from './endpoint.ts'
import { handle } from './handle.ts'
import { holdKey } from './hold-key.ts'
import { answerBefore, idempotencyOf, rememberAnswer } from './idempotency.ts'
import { keepReply } from './kept-replies.ts'
import type { Admission } from './limits/admission.ts'
import { BodyBudget } from './limits/body-budget.ts'
import { checkWritable } from './limits/check-writable.ts'
import { countedAs, type Throttles, whoseOf } from './limits/throttles.ts'
import { parseInput } from './parse-input.ts'
import { readBody } from './receiving/read-body.ts'
import { sendReady } from './sending/ready-answer.ts'
import { sendBytes } from './sending/send-bytes.ts'

type Sendable = { status: number; body: string | undefined; headers: Record<string, string> }

type Params = Record<string, string | undefined>

/** The maximum length of a path parameter. */
const maxParamLength = 8192

/**
 * Serves every endpoint of the table below `prefix`. Express would try the paths one by one; a
 * radix tree finds the route in one pass.
 */
export function mount(
  app: Express,
  ctx: Context,
  {
    prefix,
    table,
    throttles,
    admission,
  }: Served & { prefix: string; table: Record<string, Endpoint> },
): void {
  const server = {
    ctx,
    throttles,
    admission,
    budget: new BodyBudget(),
    write: writeTogether(ctx.store),
  }

  const router = findMyWay({
    ignoreTrailingSlash: true,
    maxParamLength,
    querystringParser: () => ({}),
    onBadUrl: () => {
      throw invalid('The path has a "%" that is not part of an escape. Encode it as "%25".')
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

    if (!found.store) {
      // A malformed path outside the API is answered with a page.
      return req.path.startsWith(`${prefix}/`) ? found.handler(req, res, {}, undefined, {}) : next()
    }

    const route = found.store as Route

    await serve(server, route, nameWildcard(found.params, route.wildcard), req, res)
  })
}

type Served = { throttles: Throttles; admission: Admission }

/** The values shared by all requests. */
type Server = Served & { ctx: Context; budget: BodyBudget; write: ReturnType<typeof writeTogether> }

/** The value that the router stores with a path. */
type Route = {
  endpoint: Endpoint
  takesBody: boolean
  wildcard: string | undefined
  /** The scope that a token needs; undefined for none. */
  scope: NeededScope | undefined
}

/** Renames the wildcard parameter to the name that the endpoint gives it. */
function nameWildcard(params: Params, wildcard: string | undefined): Params {
  if (wildcard === undefined) return params
  const { '*': rest, ...others } = params
  return { ...others, [wildcard]: rest }
}

/**
 * Serves one request: params, authentication, guard, body, query, handler. No byte of a body is
 * read, and no problem of it reported, before the guard has admitted the caller.
 */
async function serve(
  server: Server,
  { endpoint, takesBody, scope }: Pick<Route, 'endpoint' | 'takesBody' | 'scope'>,
  given: Params,
  req: Request,
  res: Response,
): Promise<void> {
  const { ctx: whole, write, budget } = server
  // Read the version before anything else: if rows change while we answer, the answer is not
  // cached.
  const version = whole.store.version()
  const params = parseInput('path', endpoint.params, given)
  const asking = { endpoint, scope, params, req, res }
  const actor = identify(whole, server.throttles, req)
  if (actor.type === 'user')
    Object.assign(res.locals, { userId: actor.user.id, tokenId: actor.token.id })

  let allowed = authorize(whole, asking, actor)
  // A search is a POST that only reads.
  if (req.method !== 'GET' && req.method !== 'HEAD' && !scope?.endsWith(':read'))
    checkWritable(whole.config)

  let bytes: Buffer = Buffer.alloc(0)

  if (takesBody) {
    const { address } = allowed.request.origin
    const userId = actor.type === 'anonymous' ? '' : countedAs(whoseOf(actor), address)
    bytes = await readBody(req, res, { budget, userId, limit: endpoint.bodyLimit })
    // The token may have been revoked, or the role lost, while the body arrived.
    await whole.store.gate?.pass()
    const now = findActor(whole, req.headers.authorization)
    if (whole.store.version() !== version) allowed = authorize(whole, asking, now)
  }

  const { ctx, granted } = allowed
  const request: RequestFacts = {
    ...allowed.request,
    idempotency: idempotencyFor(endpoint, req, actor, bytes),
  }
  const query = endpoint.query
    ? parseInput('query', endpoint.query, req.query)
    : refuseQuery(req.query)
  const body = endpoint.body ? parseBody(endpoint, req, bytes) : undefined

  const by = { userId: actor.type === 'user' ? actor.user.id : null, origin: request.origin }
  const input = { ...(granted as object), ctx, actor, by, params, query, body, request }
  const run = () => handle(server.admission, endpoint, input)
  const idempotency = request.idempotency
  const again = () => authorize(whole, asking, findActor(whole, req.headers.authorization)).granted
  const asked = { ctx, write, idempotency, again }

  if (!idempotency) {
    const made = await conclude(asked, endpoint, await run())
    const until = goodUntil(actor)
    const ready =
      'status' in made ? undefined : keepReply(whole, req, made, { version, until, actor })
    return ready ? sendReady(req, res, ready) : send(req, res, made)
  }

  const work = async () => conclude(asked, endpoint, await run())
  await send(req, res, await runOnce(ctx, idempotency, work))
}

/** Runs the work of a request, or returns the answer to an earlier one with the same key. */
const runOnce = (
  ctx: Context,
  idempotency: Idempotency,
  work: () => Promise<Sendable | Bytes>,
): Promise<Sendable | Bytes> =>
  holdKey(ctx, idempotency, async () => {
    const before = answerBefore(ctx, idempotency)
    if (before) return replayed(before)

    try {
      return await work()
    } catch (error) {
      // Recovery may have finished what an earlier request with this key began: then this is its
      // answer.
      const meanwhile = answerBefore(ctx, idempotency)
      if (!meanwhile) throw error
      return replayed(meanwhile)
    }
  })

/**
 * Returns the Idempotency-Key of a request, if it has one. Throws 'invalid' when answers of the
 * operation are not stored.
 */
function idempotencyFor(
  { readers, unstored }: Endpoint,
  req: Request,
  actor: Actor,
  bytes: Buffer,
): Idempotency | undefined {
  // A read by POST needs no key, and its answer may contain a reading token.
  const idempotency = readers ? undefined : idempotencyOf(req, actor, bytes)
  if (idempotency && unstored !== undefined)
    throw invalid(`Leave out the header "Idempotency-Key": ${unstored}`)
  return idempotency
}

function parseBody(endpoint: Endpoint, req: Request, bytes: Buffer): unknown {
  const given = jsonBody(req.headers, bytes)
  if (given === undefined && !endpoint.bodyOptional) {
    throw invalid('Send a JSON body, with the header "Content-Type: application/json".')
  }
  return parseInput('body', endpoint.body as z.ZodType, given === undefined ? {} : given)
}

/** Rejects query parameters of an operation that has none: they would be ignored silently. */
function refuseQuery(query: Request['query']): undefined {
  const name = Object.keys(query)[0]
  if (name !== undefined)
    throw invalid(`This operation takes no query parameters. Remove "${name.slice(0, 60)}".`)
}

/**
 * Makes the answer and stores it for the caller's key: in one transaction with the rows of
 * `inTransaction` work.
 */
async function conclude(
  { ctx, write, idempotency, again }: WriteRequest,
  endpoint: Endpoint,
  result: unknown,
): Promise<Sendable | Bytes> {
  if (!(result instanceof InTransaction)) {
    const made = finish(ctx, endpoint, result)
    return idempotency && 'status' in made ? rememberAnswer(ctx, idempotency, made) : made
  }
  const end = (result: unknown) => {
    const made = finish(ctx, endpoint, result)
    if (idempotency && 'status' in made) keepNewAnswer(ctx.store, idempotency, made, ctx.now())
    return made
  }

  // Since the guard ran, the token may have been revoked or the role taken away, also by a write of
  // the same batch.
  return write(() => end(result.work(again())))
}

type WriteRequest = Pick<Server, 'ctx' | 'write'> & {
  idempotency: Idempotency | undefined
  /**
   * Identifies the caller and runs the guard again. Returns what the guard grants now; throws as
   * they do.
   */
  again: () => object
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
  if (ctx.config.checkReplies && typeof endpoint.reply === 'object')
    endpoint.reply.parse(answer.body)

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
  // Some of these answers contain secrets, and all contain rows that others may change.
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
