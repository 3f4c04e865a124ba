import { api } from '../../src/api/routes.ts'
import type { Endpoint } from '../../src/http/endpoint.ts'
import type { Actor, Reply } from '../support/app.ts'
import type { Sent } from './calls/call.ts'
import type { Ids, World } from './world.ts'

/** An operation with its key in the route table. */
export type Operation = { key: string; method: string; path: string; endpoint: Endpoint }

export const operations: Operation[] = Object.entries(api).map(([key, endpoint]) => {
  const [method = '', path = ''] = key.split(' ')
  return { key, method, path, endpoint }
})

/** Returns the operation with this operationId. */
export const operationOf = (operationId: string): Operation | undefined =>
  operations.find(({ endpoint }) => endpoint.operationId === operationId)

/** Returns the names of the parameters in an operation's path. */
export const namesIn = ({ path }: Operation): string[] =>
  [...path.matchAll(/[:*](\w+)/g)].map(match => match[1] as string)

/** Calls an operation with the ids of the world, unless `sent` has its own. */
export function ask(
  actor: Actor,
  { key, method, path }: Operation,
  world: World,
  { ids = {}, body, query = '' }: Sent,
): Promise<Reply> {
  const known: Ids = { ...world.ids, ...ids }
  const filled = path.replace(/[:*](\w+)/g, (_, name: string) => {
    const id = known[name]
    if (id === undefined)
      throw new Error(`What "${name}" in ${key} is, nobody says: see test/guards/world.ts.`)
    return name === 'pagePath' ? id : encodeURIComponent(id)
  })
  return actor.request(method, `/v1${filled}${query}`, body)
}
