import { GitBookAPI } from '@gitbook/api'
import type { Actor, App } from './app.ts'
import { type Exchange, validateReply } from './conformance.ts'

/**
 * The official client of the API, unchanged, speaking for an actor. Every answer it gets is held against its own
 * document; `seen` hears of each, also of those that the client turns into an error.
 */
export function clientFor(app: App, actor: Actor, seen: (exchange: Exchange) => void = () => {}): GitBookAPI {
  const observed: typeof fetch = async (input, init) => {
    const request = new Request(input, init)
    const response = await fetch(request)
    const text = await response.clone().text()
    const type = (response.headers.get('content-type') ?? '').split(';', 1)[0] as string
    const { pathname, search } = new URL(request.url)
    const exchange: Exchange = {
      method: request.method,
      path: pathname + search,
      status: response.status,
      type,
      body: type === 'application/json' && text ? JSON.parse(text) : undefined,
    }
    seen(exchange)
    validateReply(exchange)
    return response
  }
  return new GitBookAPI({
    endpoint: app.url,
    authToken: actor.token,
    userAgent: 'stemma-conformance',
    serviceBinding: { fetch: observed },
  })
}
