import findMyWay, { type HTTPMethod } from 'find-my-way'
import type { Route } from './page.ts'

/** The longest parameter of a path: ids, and paths of files. */
const maxParamLength = 8192

export type FoundRoute = { route: Route; params: Record<string, string> }

export type Router = (method: string, path: string) => FoundRoute | undefined

/** Returns a function that finds the page or form at a path below `/app`. Throws for two with one path. */
export function openRouter(routes: readonly Route[]): Router {
  const router = findMyWay({
    ignoreTrailingSlash: true,
    maxParamLength,
    querystringParser: () => ({}),
  })

  for (const route of routes)
    router.on(
      route.method as HTTPMethod,
      `/app${route.path}`.replace(/\*\w+$/, '*'),
      () => {},
      route,
    )

  return (method, path) => {
    const found = router.find((method === 'HEAD' ? 'GET' : method) as HTTPMethod, `/app${path}`)
    const route = found?.store as Route | undefined
    if (!found || !route) return undefined
    const { '*': rest, ...named } = found.params
    const wildcard = /\*(\w+)$/.exec(route.path)?.[1]
    const params = { ...named, ...(wildcard !== undefined && { [wildcard]: rest }) }
    return { route, params: params as Record<string, string> }
  }
}
