import { GitBookAPI } from '@gitbook/api'
import { GitBookAPI as TodaysAPI } from 'gitbook-api-today'
// The package's own types import this file without an extension, which the compiler does not
// resolve in ES modules.
import type { Api } from '../../../node_modules/@gitbook/api/dist/client.d.ts'
import { api } from '../../../src/api/routes.ts'
import type { Actor, App } from '../app.ts'
import { type Exchange, officialOperation, routeOf, validateReply } from '../conformance.ts'
import { foldersFollow, takeFromFolders } from '../git/from-folder.ts'
import { record } from './recording.ts'
import { validateToday } from './todays-client.ts'

export type Driven = {
  client: Api<{ authToken?: string }>
  /** The routes that answered this client successfully, as written in the table of operations. */
  done: Set<string>
}

/** The versions of the official client that the tests run. */
export const clients = { '0.146.0': GitBookAPI, '0.202.0': TodaysAPI } as const

/**
 * The unmodified official API client, acting for an actor. Every response, including errors, is
 * validated against the client's own OpenAPI document, and those to reads against that of 0.202.0.
 */
export function clientFor(
  app: App,
  actor: Actor,
  version: keyof typeof clients = '0.146.0',
): Driven {
  const done = new Set<string>()
  const observed: typeof fetch = async (input, init) => {
    const request = new Request(input, init)
    // A new connection per request, as for every actor.
    request.headers.set('connection', 'close')
    await takeFromFolders()
    const response = await fetch(request)
    const text = await response.clone().text()
    await foldersFollow()
    const type = (response.headers.get('content-type') ?? '').split(';', 1)[0] as string
    const { pathname, search } = new URL(request.url)
    const exchange: Exchange = {
      method: request.method,
      path: pathname + search,
      status: response.status,
      type,
      body: type === 'application/json' && text ? JSON.parse(text) : undefined,
    }

    validateReply(exchange)
    validateToday(exchange)
    record(exchange, init?.body ? JSON.parse(String(init.body)) : undefined)
    const route = routeOf(exchange.method, exchange.path)
    if (route && response.ok) done.add(route)

    return response
  }

  const client: object = new clients[version]({
    endpoint: app.url,
    authToken: actor.token,
    userAgent: 'stemma-conformance',
    serviceBinding: { fetch: observed },
  })

  return { client: client as Driven['client'], done }
}

/**
 * The routes matching `pattern` that the official client has a method for and that are missing in
 * `done`.
 */
export const notDriven = (pattern: RegExp, ...done: Set<string>[]): string[] =>
  Object.keys(api).filter(key => {
    const [method = '', path = ''] = key.split(' ')
    return pattern.test(path) && officialOperation(method, path) && !done.some(set => set.has(key))
  })
