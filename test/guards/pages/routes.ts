import type { Context } from '../../../src/context.ts'
import { findChangeRequest } from '../../../src/store/discussions/change-requests.ts'
import type { Route } from '../../../src/workbench/frame/page.ts'
import { workbench } from '../../../src/workbench/table.ts'
import type { Sent } from '../calls/call.ts'
import type { Ids, World } from '../world.ts'

/** The name of a page or form: "GET /s/:spaceId". Home is "GET /". */
export const nameOf = ({ method, path }: Route): string => `${method} ${path || '/'}`

/** The scopes that a page or form needs, in one word: "none" for none. */
export const scopesOf = ({ scopes }: Route): string => scopes.join('+') || 'none'

/** Forms that only read, and answer with a page or data. */
const readsByPost: ReadonlySet<string> = new Set(['POST /s/:spaceId/edit/:pageId/preview'])

export const reads = (route: Route): boolean =>
  route.method === 'GET' || readsByPost.has(nameOf(route))

export const routes = workbench
export const forms: readonly Route[] = routes.filter(({ method }) => method === 'POST')
export const routeOf = (name: string): Route | undefined =>
  routes.find(route => nameOf(route) === name)

/** Returns the number of a change request, which its pages have in their addresses. */
const numberIn = ({ store }: Context, { spaceId = '', changeRequestId = '' }: Ids) =>
  findChangeRequest(store, spaceId, changeRequestId)?.number.toString()

/** Returns the address of a page with the ids of the world, unless `sent` has its own. */
export function addressOf({ path }: Route, { app, ids }: World, sent: Sent = {}): string {
  const known = { ...ids, ...sent.ids }
  const { ctx } = app
  const filled = path.replace(/[:*](\w+)/g, (_, name: string) => {
    const id = name === 'changeRequestId' ? numberIn(ctx, known) : known[name]
    if (id === undefined)
      throw new Error(`What "${name}" in ${path} is, nobody says: see test/guards/pages/calls.ts.`)
    return encodeURIComponent(id)
  })
  return `/app${filled}${sent.query ?? ''}`
}
