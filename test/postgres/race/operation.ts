import type { z } from 'zod'
import { createToken } from '../../../src/actions/people/create-token.ts'
import { api } from '../../../src/api/routes.ts'
import type { Context } from '../../../src/context.ts'
import { type Endpoint, InTransaction } from '../../../src/http/endpoint.ts'
import { findUser } from '../../../src/store/people/users.ts'
import type { Work } from './interleave.ts'
import type { RaceNode } from './nodes.ts'

type Params = Record<string, string>

const parsed = (schema: z.ZodType | undefined, value: unknown): unknown => schema?.parse(value)

/** Returns the operation of the API that a method and a path name, with the parameters of the path. */
function find(asked: string): { endpoint: Endpoint; params: Params } {
  const parts = asked.split(/[ /]/)
  for (const [key, endpoint] of Object.entries(api)) {
    const names = key.split(/[ /]/)
    const fits = (name: string, at: number) => name.startsWith(':') || name === parts[at]
    if (names.length !== parts.length || !names.every(fits)) continue
    const params = names.flatMap((name, at) =>
      name.startsWith(':') ? [[name.slice(1), parts[at] as string]] : [],
    )
    return { endpoint: endpoint as Endpoint, params: Object.fromEntries(params) as Params }
  }
  throw new Error(`There is no operation ${asked}.`)
}

/**
 * Does what a handler of the API does before its transaction, as a user at a node. Returns the
 * transaction, in which the guard runs again.
 */
async function operation(
  ctx: Context,
  userId: string,
  asked: string,
  body: object = {},
): Promise<Work> {
  const { endpoint, params: given } = find(asked)
  const user = findUser(ctx.store, userId)!
  const { row: token } = createToken(ctx.store, { userId, name: 'race' }, ctx.now())
  const actor = { type: 'user' as const, user, token }
  const params = endpoint.params.parse(given)
  const origin = { requestId: '', address: '', tokenId: token.id }
  const request = { id: '', signal: new AbortController().signal, header: () => undefined, origin }
  const guard = endpoint.access as (asker: unknown) => object
  const granted = () => guard({ ctx, actor, params, request })
  const result = await (endpoint.handle as (asked: unknown) => unknown)({
    ...granted(),
    ctx,
    actor,
    by: { userId, origin },
    params,
    query: parsed(endpoint.query, {}),
    body: parsed(endpoint.body, body),
    request,
  })
  if (!(result instanceof InTransaction)) throw new Error(`${asked} has no transaction.`)
  return () => ctx.store.transact(() => result.work(granted()))
}

/** Returns a node whose operations run in this process. */
export const withOperations = <Node extends Context>(ctx: Node): Node & RaceNode =>
  Object.assign(ctx, {
    operation: (userId: string, asked: string, body?: object) =>
      operation(ctx, userId, asked, body),
  })
