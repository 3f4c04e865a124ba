import { randomBytes } from 'node:crypto'
import { admitToken } from '../../access/admit-token.ts'
import { abortSignalOf } from '../../http/abort-signal.ts'
import { authorize } from '../../http/authorize.ts'
import type { BrowserUser } from '../../http/browser-session.ts'
import { parseInput } from '../../http/input/parse-input.ts'
import { applicantOf, type Hold } from '../../http/limits/admission.ts'
import { addressGroup, clientAddress } from '../../http/limits/client-address.ts'
import { redirect } from '../../ui/serving/redirect.ts'
import { workbenchAssets } from '../assets/assets.ts'
import { addressIn, type Entered } from '../parts/surroundings.ts'
import { renderDocument } from './document.tsx'
import { sendLive } from './live.ts'
import { takeNotice } from './notice.ts'
import { Data, Live, Redirect, type Route, type View } from './page.ts'
import { headers, sendData, sendHtml } from './send.ts'
import type { Exchange, Workbench } from './workbench.ts'

type Wanted = { user: BrowserUser; route: Route; params: Record<string, string> }

/** Runs the guard of a page or form. Returns what its functions get of the request. */
export function askedBy(
  { ctx: whole, base }: Workbench,
  { req, res }: Exchange,
  { user, route, params }: Wanted,
) {
  const needs = { operationId: '', readers: false }
  const [scope, ...more] = route.scopes
  for (const each of more) admitToken(whole, user.actor, { ...needs, scope: each }, params)
  const endpoint = { ...needs, access: route.access }
  const allowed = authorize(whole, { endpoint, scope, params, req, res }, user.actor)
  const { ctx, granted, request } = allowed
  const { user: me } = user.actor

  return {
    ...granted,
    ...{ ctx, params, me, actor: user.actor, session: user.session },
    by: { userId: me.id, origin: request.origin },
    request: Object.assign(request, { idempotency: undefined }),
    at: (path: string) => addressIn(base, path),
    nonce: randomBytes(16).toString('base64'),
  }
}

/**
 * Answers with a page, once there is a slot for it. `entered` is the form that leads to it again, with the
 * status of the answer.
 */
export async function answerPage(
  workbench: Workbench,
  exchange: Exchange,
  wanted: Wanted,
  again?: { entered: Entered; status: number; search: string },
): Promise<void> {
  const { res, req } = exchange
  const { route, user } = wanted
  const asked = askedBy(workbench, exchange, wanted)
  const given = again ? Object.fromEntries(new URLSearchParams(again.search)) : req.query
  const query = route.query ? parseInput('query', route.query, given) : undefined
  const show = route.show as unknown as (asked: object) => Promise<View | Redirect | Data | Live>
  const view = await admitted(workbench, exchange, user, hold => show({ ...asked, query, hold }))

  if (view instanceof Data) return sendData(res, 200, view.value)
  if (view instanceof Live) {
    const guard = (now: BrowserUser) => askedBy(workbench, exchange, { ...wanted, user: now })
    return sendLive(exchange, { ctx: workbench.ctx, user, live: view, guard })
  }
  // A form whose page leads elsewhere would lose what was typed, and what is wrong.
  if (view instanceof Redirect && again) throw new Error('The page of the form leads elsewhere.')
  if (view instanceof Redirect)
    return redirect(res.set(headers), addressIn(workbench.base, view.to), 303)

  await sendView(workbench, exchange, {
    user,
    view: again ? { ...view, status: again.status } : view,
    entered: again?.entered,
    nonce: asked.nonce,
  })
}

/** Runs work of a user once there is a slot for it. */
export function admitted<Result>(
  { ctx, admission }: Workbench,
  { req, res }: Exchange,
  { actor }: BrowserUser,
  work: (hold: Hold) => Promise<Result>,
): Promise<Result> {
  const client = addressGroup(clientAddress(req, ctx.config.trustProxy))
  return admission.run(applicantOf(actor, client), abortSignalOf(res), async hold => work(hold))
}

type Shown = {
  user: BrowserUser | undefined
  view: View
  entered?: Entered | undefined
  nonce?: string
}

/** Sends a view in the frame of the workbench. */
export async function sendView(
  { ctx, base }: Workbench,
  { req, res }: Exchange,
  { user, view, entered, nonce }: Shown,
): Promise<void> {
  const { style, script, named } = await workbenchAssets()
  const addressOf = ({ name }: { name: string }) => addressIn(base, `/assets/${name}`)
  const query = req.query.q
  const html = renderDocument(
    {
      base,
      assets: {
        style: addressOf(style),
        script: addressOf(script),
        more: name => addressOf(named(name)),
      },
      me: user && { name: user.actor.user.display_name },
      csrf: user?.csrfToken ?? '',
      readOnly: ctx.config.readOnly,
      notice: req.method === 'POST' ? undefined : takeNotice(ctx, base, req, res),
      entered,
      query: typeof query === 'string' ? query : undefined,
    },
    view,
  )

  await sendHtml(req, res, {
    status: view.status ?? 200,
    html,
    isForUser: user !== undefined,
    nonce: view.usesNonce ? nonce : undefined,
  })
}
