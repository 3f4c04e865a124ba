import { Fault, missing } from '../../errors.ts'
import {
  type BrowserUser,
  checkSameOrigin,
  checkWrite,
  sessionOf,
  signedInUser,
} from '../../http/browser-session.ts'
import { InTransaction } from '../../http/endpoint.ts'
import { failureOf } from '../../http/faults.ts'
import { readForm } from '../../http/form.ts'
import { checkDiskSpace } from '../../http/mount.ts'
import { redirect } from '../../ui/serving/redirect.ts'
import { addressIn } from '../parts/surroundings.ts'
import { answerPage, askedBy, sendView } from './answer-page.ts'
import { keepNotice } from './notice.ts'
import type { Done } from './page.ts'
import { parseForm, problemsIn } from './problems.ts'
import type { FoundRoute } from './routes.ts'
import { headers } from './send.ts'
import { confirmView, signedOutView } from './sent-again.tsx'
import type { Exchange, Workbench } from './workbench.ts'

type Values = ReadonlyMap<string, string>

/**
 * Answers a form: does what it says and leads to a page, or shows its page again with what was typed and what
 * is wrong. What was typed is never lost: not with a session that has ended, nor with a role that was
 * taken away.
 */
export async function answerForm(workbench: Workbench, exchange: Exchange): Promise<void> {
  const { ctx, throttles, budget, router, base } = workbench
  const { req, res, path } = exchange
  checkSameOrigin(ctx, req)
  const found = router(req.method, path)
  const isSignedIn = signedInUser(ctx, throttles, req, res) !== undefined
  if (!found) throw missing('form', `/app${path}`)

  const limit = found.route.bodyLimit
  const values = withPlainBreaks(await readForm(ctx, req, res, { limit, budget }))
  Object.assign(res.locals, { typed: values })

  // The session may have ended while the form arrived.
  const user = isSignedIn ? sessionOf(ctx, req) : undefined
  const sent = { base, to: path, values }
  if (!user) return sendView(workbench, exchange, { user, view: signedOutView(sent) })

  if (!isOfSession(workbench, exchange, user, values)) {
    const { csrfToken: csrf, actor } = user
    const view = confirmView({ ...sent, csrf, name: actor.user.display_name })
    return sendView(workbench, exchange, { user, view })
  }

  await act(workbench, exchange, { user, found, values })
}

/** Browsers send line breaks of text areas as CR LF. */
const withPlainBreaks = (values: Values): Values =>
  new Map([...values].map(([name, value]) => [name, value.replace(/\r\n?/g, '\n')]))

/** Returns whether a form has the token of the session that sends it. */
function isOfSession(
  { ctx }: Workbench,
  { req }: Exchange,
  user: BrowserUser,
  values: Values,
): boolean {
  try {
    checkWrite(ctx, req, user, values.get('csrf'))
    return true
  } catch {
    return false
  }
}

type Sent = { user: BrowserUser; found: FoundRoute; values: Values }

async function act(workbench: Workbench, exchange: Exchange, sent: Sent): Promise<void> {
  const { ctx, base } = workbench
  const { res } = exchange
  const { user, found } = sent
  const asked = askedBy(workbench, exchange, { user, ...found })

  try {
    checkDiskSpace(ctx.config.dataDir)
    const { to, notice } = await doneBy(workbench, exchange, sent, asked)
    if (notice !== undefined) keepNotice(ctx, base, res, notice)
    redirect(res.set(headers), addressIn(base, to), 303)
  } catch (error) {
    await showAgain(workbench, exchange, sent, error)
  }
}

async function doneBy(
  workbench: Workbench,
  exchange: Exchange,
  { user, found, values }: Sent,
  asked: object,
): Promise<Done> {
  const { route, params } = found
  const body = parseForm(route.body!, values)
  const hold = async () => {}
  const run = route.act as unknown as (asked: object) => unknown
  const result = await run({ ...asked, query: undefined, body, hold })
  if (!(result instanceof InTransaction)) return result as Done

  // Since the guard ran, the session may have ended or the role may have been taken away.
  return workbench.write(() => {
    const now = sessionOf(workbench.ctx, exchange.req)
    if (now?.session.id !== user.session.id)
      throw new Fault('unauthenticated', 'Your session has ended.')
    return result.work(askedBy(workbench, exchange, { user: now, route, params })) as Done
  })
}

/** Shows the page of a form again, with what was typed. Throws what is not for the user to mend. */
async function showAgain(
  workbench: Workbench,
  exchange: Exchange,
  { user, found, values }: Sent,
  error: unknown,
): Promise<void> {
  const { status, body, expected } = failureOf(error)
  if (!expected) throw error
  const { route, params } = found
  const [path = '', search = ''] = route.shownOn!(params as never).split('?', 2)
  const page = workbench.router('GET', path)
  if (!page) throw error

  const name = values.get('form') ?? ''
  const alert = body.error.message
  const entered = { to: exchange.path, name, values, problems: problemsIn(error), alert }

  try {
    await answerPage(workbench, exchange, { user, ...page }, { entered, status, search })
  } catch {
    // The page cannot be shown any more, either: what is wrong with the form matters.
    throw error
  }
}
