import { missing } from '../../errors.ts'
import {
  type BrowserUser,
  checkSameOrigin,
  sessionOf,
  signedInUser,
} from '../../http/browser-session.ts'
import { InTransaction } from '../../http/endpoint.ts'
import { failureOf } from '../../http/faults.ts'
import type { Hold } from '../../http/limits/admission.ts'
import { checkWritable } from '../../http/limits/check-writable.ts'
import type { Taken } from '../../http/receiving/multipart.ts'
import { redirect } from '../../ui/serving/redirect.ts'
import { addressIn } from '../parts/surroundings.ts'
import { admitted, answerPage, askedBy, sendView } from './answer-page.ts'
import { keepNotice } from './notice.ts'
import { Data, type Done, type View } from './page.ts'
import { parseForm, problemsIn } from './problems.ts'
import { isOfSession, readSent, writing } from './read-sent.ts'
import type { FoundRoute } from './routes.ts'
import { headers, sendData, wantsData } from './send.ts'
import { confirmView, signedOutView } from './sent-again.tsx'
import { keepSecret } from './shown-once.ts'
import type { Exchange, Workbench } from './workbench.ts'

type Values = ReadonlyMap<string, string>

/**
 * Answers a form: does what it says and leads to a page, or shows its page again with what was typed and what
 * is wrong. What was typed is never lost: not with a session that has ended, nor with a role that was
 * taken away.
 */
export async function answerForm(workbench: Workbench, exchange: Exchange): Promise<void> {
  const { ctx, throttles, router, base } = workbench
  const { req, res, path } = exchange
  checkSameOrigin(ctx, req)
  const found = router(req.method, path)
  const isSignedIn = signedInUser(ctx, throttles, req, res) !== undefined
  if (!found) throw missing('form', `/app${path}`)

  const { values: given, taken } = await readSent(workbench, exchange, found)
  const values = withPlainBreaks(given)
  Object.assign(res.locals, { typed: values })

  // The session may have ended while the form arrived.
  const user = isSignedIn ? sessionOf(ctx, req) : undefined
  const sent = { base, to: path, values }
  if (!user && wantsData(req)) return sendData(res, 401, { error: { message: signedOut } })
  if (!user) return sendView(workbench, exchange, { user, view: signedOutView(sent) })

  if (!isOfSession(workbench, exchange, user, values)) {
    const { csrfToken: csrf, actor } = user
    const name = actor.user.display_name
    if (wantsData(req)) return sendData(res, 403, laterSignIn(csrf, name))
    const view = confirmView({ ...sent, csrf, name })
    return sendView(workbench, exchange, { user, view })
  }

  await act(workbench, exchange, { user, found, values, taken })
}

const signedOut = 'Your session has ended. Sign in in another tab, then send it again.'

/** Returns the answer to a script whose page was opened before the user signed in again. */
const laterSignIn = (csrf: string, name: string) => ({
  csrf,
  error: { message: `This was written before you signed in as ${name}. Send it again to confirm.` },
})

/** Browsers send line breaks of text areas as CR LF. */
const withPlainBreaks = (values: Values): Values =>
  new Map([...values].map(([name, value]) => [name, value.replace(/\r\n?/g, '\n')]))

type Sent = { user: BrowserUser; found: FoundRoute; values: Values; taken: Taken<unknown> }

async function act(workbench: Workbench, exchange: Exchange, sent: Sent): Promise<void> {
  const { ctx, base } = workbench
  const { res } = exchange
  const { user, found, taken } = sent
  const asked = askedBy(workbench, exchange, { user, ...found })

  try {
    checkWritable(ctx.config)
    if (taken && 'fault' in taken) throw taken.fault
    const result = await doneBy(workbench, exchange, sent, asked)
    if (result instanceof Data) return sendData(res, 200, result.value)
    if (!('to' in result)) return await sendResult(workbench, exchange, sent, result, asked.nonce)
    const { to, notice, data, secret } = result
    if (secret) keepSecret(ctx, user.session.id, secret.what, secret.text)
    // A script that gets data says the notice itself; without data, it goes on to the next page.
    const isScript = wantsData(exchange.req)
    if (notice !== undefined && !(isScript && data)) keepNotice(ctx, base, res, notice)
    if (isScript) return sendData(res, 200, { to: addressIn(base, to), notice, ...data })
    redirect(res.set(headers), addressIn(base, to), 303)
  } catch (error) {
    if (taken && 'kept' in taken) await found.route.file?.drop(ctx, taken.kept)
    if (wantsData(exchange.req)) throw error
    await showAgain(workbench, exchange, sent, error)
  }
}

/** Answers a form with a page; a script is told that there is one. */
async function sendResult(
  workbench: Workbench,
  exchange: Exchange,
  { user, values }: Sent,
  view: View,
  nonce: string,
): Promise<void> {
  if (wantsData(exchange.req))
    return sendData(exchange.res, view.status ?? 200, { error: { message: view.title } })
  const entered = view.keepsForm
    ? { ...formOf(exchange, values), problems: {}, alert: '' }
    : undefined
  await sendView(workbench, exchange, { user, view, entered, nonce })
}

/** Returns which form of the workbench was sent, with its fields. */
const formOf = ({ path }: Exchange, values: Values) => ({
  to: path,
  name: values.get('form') ?? '',
  values,
})

async function doneBy(
  workbench: Workbench,
  exchange: Exchange,
  { user, found, values, taken }: Sent,
  asked: object,
): Promise<Done | View | Data> {
  const { route } = found
  const body = parseForm(route.body!, values)
  const run = route.act as unknown as (asked: object) => unknown
  const work = async (hold: Hold) =>
    run({ ...asked, query: undefined, body, hold, file: taken?.kept })
  const result = route.computes
    ? await admitted(workbench, exchange, user, work)
    : await work(async () => {})
  if (!(result instanceof InTransaction)) return result as Done | View | Data

  return (await writing(workbench, exchange, user, found)(result)) as Done
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
  const [path = '', search = ''] = route.shownOn!(params as never, values).split('?', 2)
  const page = workbench.router('GET', path)
  if (!page) throw error

  const alert = body.error.message
  const entered = { ...formOf(exchange, values), problems: problemsIn(error), alert }

  try {
    await answerPage(workbench, exchange, { user, ...page }, { entered, status, search })
  } catch {
    // The page cannot be shown any more, either: what is wrong with the form matters.
    throw error
  }
}
