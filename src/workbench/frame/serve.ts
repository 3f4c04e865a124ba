import type { Express } from 'express'
import { missing } from '../../errors.ts'
import { type BrowserUser, signedInUser } from '../../http/browser-session.ts'
import { describeError, failureOf } from '../../http/faults.ts'
import { BodyBudget } from '../../http/limits/body-budget.ts'
import { writeTogether } from '../../store/write-together.ts'
import { redirect } from '../../ui/serving/redirect.ts'
import { addressOf, isOnServer } from '../../ui/serving/request-address.ts'
import { sendBuilt } from '../../ui/serving/send-built.ts'
import { signInTo } from '../../ui/serving/sign-in.ts'
import { workbenchAssets } from '../assets/assets.ts'
import { answerForm } from './answer-form.ts'
import { answerPage, sendView } from './answer-page.ts'
import { failureView } from './failure.tsx'
import type { Route } from './page.ts'
import { openRouter } from './routes.ts'
import { sendData, wantsData } from './send.ts'
import type { Exchange, Served, Workbench } from './workbench.ts'

/** Serves a table of pages and forms below `/app`, on the host of the server alone. */
export function serveTable(app: Express, served: Served, routes: readonly Route[]): void {
  const { ctx } = served
  const router = openRouter(routes)
  const budget = new BodyBudget()
  const write = writeTogether(ctx.store)

  app.use('/app', async (req, res, next) => {
    // On the host of a site, this is the path of a page.
    if (!isOnServer(ctx, addressOf(ctx, req))) return next()
    const base = new URL(ctx.publicUrl()).pathname.replace(/\/$/, '')
    const workbench = { ...served, router, budget, write, base }
    const exchange = { req, res, path: req.path.replace(/\/$/, '') }

    try {
      if (req.method === 'GET' || req.method === 'HEAD') await serveRead(workbench, exchange)
      else await answerForm(workbench, exchange)
    } catch (error) {
      await fail(workbench, exchange, error)
    }
  })
}

async function serveRead(workbench: Workbench, exchange: Exchange): Promise<void> {
  const { ctx, throttles, router } = workbench
  const { req, res, path } = exchange
  const [, name] = /^\/assets\/([\w.-]+)$/.exec(path) ?? []
  if (name !== undefined) return sendAsset(exchange, name)

  const user = signedInUser(ctx, throttles, req, res)
  if (!user) return signInFirst(workbench, exchange)
  const found = router(req.method, path)
  if (!found) throw missing('page', `/app${path}`)
  await answerPage(workbench, exchange, { user, ...found })
}

async function sendAsset({ req, res }: Exchange, name: string): Promise<void> {
  const { all } = await workbenchAssets()
  const asset = all.find(each => each.name === name)
  if (!asset) throw missing('file', name.slice(0, 100))
  sendBuilt(req, res, { name, asset })
}

/** Leads to the sign-in, which returns to the address, whether or not it leads anywhere. */
function signInFirst({ ctx, base }: Workbench, { req, res }: Exchange): void {
  const path = req.originalUrl.startsWith(`${base}/app`)
    ? req.originalUrl.slice(base.length)
    : req.originalUrl
  const { detail } = signInTo(ctx, path)
  redirect(res.set('Cache-Control', 'private, no-store'), String(detail?.signIn), 303)
}

/** Answers a request that failed with a page that helps. Logs errors that are not expected. */
async function fail(workbench: Workbench, exchange: Exchange, error: unknown): Promise<void> {
  const { ctx, throttles } = workbench
  const { req, res, path } = exchange
  const failure = failureOf(error)
  const requestId = String(res.locals.requestId)
  if (!failure.expected)
    ctx.log.error({ id: requestId, err: describeError(error) }, 'request failed')
  if (res.headersSent) return void res.destroy()

  res.set(failure.headers)
  if (wantsData(req)) return sendData(res, failure.status, failure.body)
  const user = userOf(() => signedInUser(ctx, throttles, req, res))
  const values = (res.locals as { typed?: ReadonlyMap<string, string> }).typed
  const actor = user?.actor
  const view = failureView({ ctx, failure, path, actor, requestId, ...(values && { values }) })
  await sendView(workbench, exchange, { user, view })
}

/** Returns the user; undefined above their rate limit, too. */
function userOf(find: () => BrowserUser | undefined): BrowserUser | undefined {
  try {
    return find()
  } catch {
    return undefined
  }
}
