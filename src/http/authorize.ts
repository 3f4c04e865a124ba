import type { Request, Response } from 'express'
import { findActor } from '../access/actor.ts'
import { admitToken } from '../access/admit-token.ts'
import type { Actor } from '../access/asker.ts'
import type { NeededScope } from '../access/scopes.ts'
import type { Context } from '../context.ts'
import { abortSignalOf } from './abort-signal.ts'
import type { Endpoint } from './endpoint.ts'
import { clientAddress } from './limits/client-address.ts'
import { countedAs, type Throttles, whoseOf } from './limits/throttles.ts'

/**
 * Returns the caller whom `find` finds, by default the holder of a token, and tells them in the
 * headers of `res` how many requests are left. Throws 'too_many' above a rate limit, and what `find`
 * throws.
 */
export function identify(
  ctx: Context,
  throttles: Throttles,
  req: Request,
  {
    res,
    find = tokenHolder,
  }: { res?: Response; find?: (ctx: Context, req: Request) => Actor } = {},
): Actor {
  const address = clientAddress(req, ctx.config.trustProxy)
  let actor: Actor
  try {
    actor = find(ctx, req)
  } catch (error) {
    throttles.failed(address)
    throw error
  }

  if (actor.type === 'anonymous') return actor

  const name = countedAs(whoseOf(actor), address)
  try {
    throttles.check(name)
  } finally {
    const headers = res ? throttles.headers(name) : []
    for (let at = 0; at < headers.length; at += 2) res?.setHeader(headers[at]!, headers[at + 1]!)
  }

  return actor
}

const tokenHolder = (ctx: Context, { headers }: Request): Actor =>
  findActor(ctx, headers.authorization)

type Asking = {
  endpoint: Pick<Endpoint, 'operationId' | 'readers' | 'access'>
  /** The scope that the token needs; undefined for none. */
  scope: NeededScope | undefined
  params: unknown
  req: Request
  res: Response
}

/**
 * Checks the token's scope and limits, then runs the endpoint's guard. Returns what the guard
 * grants, the context limited to the token's reach, and the facts of the request that do not depend
 * on its body.
 */
export function authorize(
  whole: Context,
  { endpoint, scope, params, req, res }: Asking,
  actor: Actor,
) {
  const ctx = admitToken(
    whole,
    actor,
    { operationId: endpoint.operationId, scope, readers: endpoint.readers },
    params,
  )
  const requestId = String(res.locals.requestId ?? '')
  const request = {
    id: requestId,
    // Made when it is first needed: most answers are ready before a client could leave.
    get signal() {
      return abortSignalOf(res)
    },
    method: req.method,
    url: req.originalUrl,
    header: (name: string) => req.get(name),
    origin: {
      requestId,
      address: clientAddress(req, ctx.config.trustProxy),
      tokenId: actor.type === 'user' ? actor.token.id : null,
    },
  }
  const granted = (endpoint.access as (asker: unknown) => object)({ ctx, actor, params, request })
  return { ctx, granted, request }
}
