import type { Request, Response } from 'express'
import type { z } from 'zod'
import { goodUntil } from '../access/actor.ts'
import type { Actor, Idempotency, RequestFacts } from '../access/asker.ts'
import { pick } from '../access/fields.ts'
import type { NeededScope } from '../access/scopes.ts'
import type { Context } from '../context.ts'
import { Fault, invalid } from '../errors.ts'
import { keepNewAnswer } from '../store/events/idempotency.ts'
import type { writeTogether } from '../store/write-together.ts'
import { authorize, identify } from './authorize.ts'
import { passWithBody } from './behind-gate.ts'
import { findCaller } from './caller.ts'
import { etagOf } from './conditional.ts'
import type { Bytes, Endpoint } from './endpoint.ts'
import { Answer, InTransaction, nothing } from './endpoint.ts'
import { fieldsIn } from './fields.ts'
import { handle } from './handle.ts'
import { holdKey } from './hold-key.ts'
import { answerBefore, idempotencyOf, rememberAnswer } from './idempotency.ts'
import { noCondition, whileMatching } from './if-match.ts'
import { jsonBody } from './input/json-body.ts'
import { parseInput } from './input/parse-input.ts'
import { ignoredHeader, parseQuery } from './input/parse-query.ts'
import { keepReply } from './kept-replies.ts'
import type { Admission } from './limits/admission.ts'
import type { BodyBudget } from './limits/body-budget.ts'
import { checkWritable } from './limits/check-writable.ts'
import { countedAs, type Throttles, whoseOf } from './limits/throttles.ts'
import { readBody } from './receiving/read-body.ts'
import { sendReady } from './sending/ready-answer.ts'
import { sendBytes } from './sending/send-bytes.ts'
import { type Sendable, sendJson } from './sending/send-json.ts'

export type Served = { throttles: Throttles; admission: Admission }

/** The values shared by all requests. */
export type Server = Served & {
  ctx: Context
  budget: BodyBudget
  write: ReturnType<typeof writeTogether>
}

/** What the router stores with a path. */
export type Route = {
  endpoint: Endpoint
  takesBody: boolean
  wildcard: string | undefined
  /** The scope that a token needs; undefined for none. */
  scope: NeededScope | undefined
}

/** A route with the params that a path has for it. */
export type Matched = { route: Route; params: Readonly<Record<string, string | undefined>> }

/** A request with the route that it takes, and the one that reads the resource at its path. */
type RoutedRequest = Matched & { req: Request; res: Response; read: () => Matched | undefined }

/**
 * Serves one request: params, authentication, guard, body, query, handler. No byte of a body is
 * read, and no problem of it reported, before the guard has admitted the caller.
 */
export async function serve(server: Server, asked: RoutedRequest): Promise<void> {
  const { ctx: whole } = server
  const { req, res, route } = asked
  const { endpoint } = route
  // Read the version before anything else: if rows change while we answer, the answer is not
  // cached.
  const version = whole.store.version()
  const { actor, allowed, bytes, asking } = await admit(server, asked, version)
  const { ctx, granted } = allowed
  const idempotency = idempotencyFor(endpoint, req, actor, bytes)
  const { query, ignored } = parseQuery(endpoint.query, req.query)
  const fields = fieldsIn(query)
  // A copy would call the getter of the signal.
  const request: RequestFacts = Object.assign(allowed.request, { idempotency, fields })
  if (ignored.length > 0) res.set(ignoredHeader(ignored))
  const body = endpoint.body ? parseBody(endpoint, req, bytes) : undefined

  const by = { userId: actor.type === 'user' ? actor.user.id : null, origin: request.origin }
  const input = { ctx, actor, by, params: asking.params, query, body, request }
  const given = { ...(granted as object), ...input }
  const again = () => authorize(whole, asking, findCaller(whole, req)).granted
  const make = async (unchanged?: () => void) =>
    conclude(
      { ctx, write: server.write, idempotency, again, unchanged, fields },
      endpoint,
      await handle(server.admission, endpoint, given),
    )
  const work = conditional(server, asked, input, make)

  if (idempotency) return send(req, res, await runOnce(ctx, idempotency, work))

  const made = await work()
  const until = goodUntil(actor)
  const ready =
    'status' in made || ignored.length > 0
      ? undefined
      : keepReply(whole, req, made, { version, until, actor })
  return ready ? sendReady(req, res, ready) : send(req, res, made)
}

/** Checks who asks and whether they may, and reads the body of the request. */
async function admit(
  server: Server,
  { req, res, route, params: given }: RoutedRequest,
  version: number,
) {
  const { ctx: whole, budget } = server
  const { endpoint, takesBody, scope } = route
  const params = parseInput('path', endpoint.params, given)
  const asking = { endpoint, scope, params, req, res }
  const actor = identify(whole, server.throttles, req, { res, find: findCaller })
  if (actor.type === 'user')
    Object.assign(res.locals, { userId: actor.user.id, tokenId: actor.token.id })

  const allowed = authorize(whole, asking, actor)
  // A search is a POST that only reads.
  if (req.method !== 'GET' && req.method !== 'HEAD' && !scope?.endsWith(':read'))
    checkWritable(whole.config)

  const none: Buffer = Buffer.alloc(0)
  if (!takesBody) return { actor, allowed, bytes: none, asking }

  const { address } = allowed.request.origin
  const userId = actor.type === 'anonymous' ? '' : countedAs(whoseOf(actor), address)
  const bytes = await readBody(req, res, { budget, userId, limit: endpoint.bodyLimit })
  // The token may have been revoked, or the role lost, while the body arrived.
  await passWithBody(whole.store.gate, req)
  const now = findCaller(whole, req)
  const isSame = whole.store.version() === version
  return { actor, allowed: isSame ? allowed : authorize(whole, asking, now), bytes, asking }
}

type Work = (unchanged?: () => void) => Promise<Sendable | Bytes>

/**
 * Returns the work of a request, with `If-Match` on the ETag of what is read at its path; operations
 * on content compare revisions themselves.
 */
function conditional(
  server: Server,
  { req, res, route, read }: RoutedRequest,
  input: { actor: Actor; by: object; request: RequestFacts },
  make: Work,
): () => Promise<Sendable | Bytes> {
  const header = req.headers['if-match']
  const isRead = req.method === 'GET' || req.method === 'HEAD'
  if (header === undefined || isRead || route.endpoint.ifMatch) return () => make()
  const reading = read()
  if (!reading) throw noCondition()

  const { endpoint, scope } = reading.route
  const params = parseInput('path', endpoint.params, reading.params)
  const current = async (): Promise<string | undefined> => {
    try {
      const asked = { endpoint, scope, params, req, res }
      const { ctx, granted } = authorize(server.ctx, asked, input.actor)
      const query = parseQuery(endpoint.query, {}).query
      const given = { ...granted, ...input, ctx, params, query, body: undefined }
      const made = finish(ctx, endpoint, await handle(server.admission, endpoint, given as never))
      return 'status' in made ? etagOf(made.body ?? '') : made.etag
    } catch (error) {
      if (error instanceof Fault && error.kind === 'missing') return undefined
      throw error
    }
  }

  return () => whileMatching(server.ctx.store, header, current, make)
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

/**
 * Makes the answer and stores it for the caller's key: in one transaction with the rows of
 * `inTransaction` work.
 */
async function conclude(
  { ctx, write, idempotency, again, unchanged, fields }: WriteRequest,
  endpoint: Endpoint,
  result: unknown,
): Promise<Sendable | Bytes> {
  if (!(result instanceof InTransaction)) {
    const made = finish(ctx, endpoint, result, fields)
    return idempotency && 'status' in made ? rememberAnswer(ctx, idempotency, made) : made
  }
  const end = (result: unknown) => {
    const made = finish(ctx, endpoint, result)
    if (idempotency && 'status' in made) keepNewAnswer(ctx.store, idempotency, made, ctx.now())
    return made
  }

  // Since the guard ran, the token may have been revoked or the role taken away, also by a write of
  // the same batch.
  return write(() => {
    unchanged?.()
    return end(result.work(again()))
  })
}

type WriteRequest = Pick<Server, 'ctx' | 'write'> & {
  idempotency: Idempotency | undefined
  /**
   * Identifies the caller and runs the guard again. Returns what the guard grants now; throws as
   * they do.
   */
  again: () => object
  /** Makes the work start again if rows have changed since its condition was checked. */
  unchanged: (() => void) | undefined
  fields: RequestFacts['fields']
}

const replayed = (kept: Sendable): Sendable => ({
  ...kept,
  headers: { ...kept.headers, 'Idempotent-Replayed': 'true' },
})

function finish(
  ctx: Context,
  endpoint: Endpoint,
  result: unknown,
  fields?: RequestFacts['fields'],
): Sendable | Bytes {
  if (isBytes(result)) return result
  const answer = result instanceof Answer ? result : new Answer(result)
  if (endpoint.reply === nothing)
    return { status: answer.status ?? endpoint.status, body: undefined, headers: answer.headers }
  if (ctx.config.checkReplies && typeof endpoint.reply === 'object')
    endpoint.reply.parse(answer.body)

  return {
    status: answer.status ?? endpoint.status,
    body: JSON.stringify(pick(fields, answer.body)),
    headers: answer.headers,
  }
}

const isBytes = (result: unknown): result is Bytes =>
  typeof result === 'object' && result !== null && 'bytes' in result && !(result instanceof Answer)

const send = (req: Request, res: Response, made: Sendable | Bytes): Promise<void> =>
  'status' in made ? sendJson(req, res, made) : sendBytes(req, res, made)
