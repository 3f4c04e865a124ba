import type { Express, Request, Response } from 'express'
import findMyWay, { type HTTPMethod } from 'find-my-way'
import { scopeNeeded } from '../access/scopes.ts'
import type { Context } from '../context.ts'
import { Fault } from '../errors.ts'
import { writeTogether } from '../store/write-together.ts'
import { allowOrigins, answerPreflight } from './cors.ts'
import type { Endpoint } from './endpoint.ts'
import { BodyBudget } from './limits/body-budget.ts'
import { type Matched, type Route, type Served, type Server, serve } from './serve.ts'

type Params = Matched['params']

/** The maximum length of a path parameter. */
const maxParamLength = 8192

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const satisfies readonly HTTPMethod[]

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
  const server: Server = {
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
      throw new Fault(
        'malformed_request',
        'The path has a "%" that is not part of an escape. Encode it as "%25".',
      )
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

  if (ctx.config.corsOrigins.length > 0) app.use(prefix, allowOrigins(ctx.config))
  app.use(async (req, res, next) => {
    const method = req.method === 'HEAD' ? 'GET' : req.method
    const found = router.find(method as HTTPMethod, req.url)
    if (!found) return otherMethod(router, req, res) ? undefined : next()

    if (!found.store) {
      // A malformed path outside the API is answered with a page.
      return req.path.startsWith(`${prefix}/`) ? found.handler(req, res, {}, undefined, {}) : next()
    }

    const read = () => (method === 'GET' ? undefined : matched(router.find('GET', req.url)))
    await serve(server, { ...matched(found)!, read, req, res })
  })
}

/** Returns a route and the params of a path; undefined without one. */
function matched(found: ReturnType<Router['find']>): Matched | undefined {
  const route = found?.store as Route | undefined
  if (!found || !route) return undefined
  return { route, params: nameWildcard(found.params, route.wildcard) }
}

/**
 * Answers a request whose path has other methods: OPTIONS with their names, others with 405. Returns
 * whether the path has one.
 */
function otherMethod(router: Router, req: Request, res: Response): boolean {
  const found = methods.filter(method => router.find(method, req.url)?.store)
  if (found.length === 0) return false

  const allowed = found.flatMap(method => (method === 'GET' ? ['GET', 'HEAD'] : method))
  res.setHeader('Allow', [...allowed, 'OPTIONS'].join(', '))
  if (req.method !== 'OPTIONS')
    throw new Fault(
      'method_not_allowed',
      `There is no operation ${req.method} on this path. It has ${allowed.join(', ')}.`,
    )

  answerPreflight(req, res, found)
  res.status(204).end()
  return true
}

type Router = ReturnType<typeof findMyWay>

/** Renames the wildcard parameter to the name that the endpoint gives it. */
function nameWildcard(params: Params, wildcard: string | undefined): Params {
  if (wildcard === undefined) return params
  const { '*': rest, ...others } = params
  return { ...others, [wildcard]: rest }
}
