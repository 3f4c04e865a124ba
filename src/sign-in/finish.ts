import type { Request, Response } from 'express'
import { recordEvent } from '../actions/events/record-event.ts'
import { createCode } from '../actions/sso/codes.ts'
import { openProviderSession } from '../actions/sso/sessions.ts'
import { type Confirmed, type SignedIn, signIn } from '../actions/sso/sign-in.ts'
import type { Context } from '../context.ts'
import { Fault } from '../errors.ts'
import { setSessionCookie } from '../http/browser-session.ts'
import { type Failure, failureOf } from '../http/faults.ts'
import { countRefusal, countSsoRefusal } from '../metrics.ts'
import { Refused } from '../sso/reasons.ts'
import { findProvider } from '../store/sso/providers.ts'
import { browserOf, originOf } from './browser.ts'
import { codePage } from './code-page.tsx'
import { failurePage } from './failure-page.tsx'
import { basePath, sendPage } from './layout.tsx'

/**
 * Ends a sign-in that the provider confirmed: opens a session, sends the browser on with a one-time
 * code, or shows the code on a page. Throws a Fault when the identity may not sign in.
 */
export function finish(ctx: Context, confirmed: Confirmed, req: Request, res: Response): void {
  const origin = originOf(ctx, req, res)
  const { signedIn, secret, code } = ctx.store.transact(() => {
    const signedIn = signIn(ctx, confirmed, origin)
    if (signedIn.request.delivery === 'code') return { signedIn, code: createCode(ctx, signedIn) }
    return {
      signedIn,
      secret: openProviderSession(ctx, signedIn, browserOf(ctx, req), origin).secret,
    }
  })

  res.locals.userId = signedIn.user.id
  if (secret !== undefined) setSessionCookie(ctx, res, secret)

  const target = targetOf(signedIn, code)

  if (target !== undefined) {
    res.set('Cache-Control', 'no-store').redirect(303, target)
    return
  }

  sendPage(res, 200, codePage(code))
}

/**
 * Returns the address that the browser is sent to, with the code; undefined if the sign-in named
 * none.
 */
function targetOf({ request }: SignedIn, code: string | undefined): string | undefined {
  if (request.redirect_uri === null) return undefined
  const url = new URL(request.redirect_uri)
  if (code !== undefined) url.searchParams.set('code', code)
  if (request.state !== null) url.searchParams.set('state', request.state)
  return url.href
}

/**
 * Answers a step of a sign-in that failed with a page: one sentence, and the id of the request for
 * the operator.
 */
export function refuse(
  ctx: Context,
  providerId: string,
  error: unknown,
  req: Request,
  res: Response,
): void {
  const requestId = String(res.locals.requestId)
  if (res.headersSent) {
    res.destroy()
    return
  }

  if (!(error instanceof Refused) && !(error instanceof Fault))
    ctx.log.error({ id: requestId, provider: providerId, err: error }, 'a sign-in failed')

  const { status, headers = {}, sentence, reason, detail } = describe(error)
  if (reason !== undefined) note(ctx, providerId, { reason, detail }, req, res)
  if (error instanceof Fault && error.refusal?.retryAfter !== undefined)
    countRefusal(error.refusal.label)
  sendPage(
    res.set(headers),
    status,
    failurePage({ base: basePath(ctx), title: 'Sign-in failed', message: sentence, requestId }),
  )
}

type Described = {
  status: number
  headers?: Failure['headers']
  sentence: string
  reason?: string
  detail?: string | undefined
}

function describe(error: unknown): Described {
  if (error instanceof Refused)
    return {
      status: error.status,
      sentence: error.message,
      reason: error.reason,
      detail: error.detail,
    }

  if (!(error instanceof Fault))
    return { status: 500, sentence: 'Something went wrong on the server. Try again later.' }
  const isRule = error.refusal !== undefined && error.refusal.retryAfter === undefined
  const { status, headers } = failureOf(error)

  return {
    status,
    headers,
    sentence: error.message,
    ...(isRule && { reason: error.refusal?.label as string }),
  }
}

/** Reasons to refuse a request that does not belong to a sign-in under way in its browser. */
const unbound: ReadonlySet<string> = new Set(['form', 'document', 'request'])

/** Counts a refusal, and records it for the operator and the admins: never the document. */
function note(
  ctx: Context,
  providerId: string,
  { reason, detail }: { reason: string; detail: string | undefined },
  req: Request,
  res: Response,
): void {
  countSsoRefusal(reason)
  const origin = originOf(ctx, req, res)
  ctx.log.warn(
    { id: origin.requestId, provider: providerId, reason, detail },
    'a sign-in was refused',
  )
  const provider = findProvider(ctx.store, providerId)

  // Anyone can send these: rows of the audit log would grow without bounds.
  if (!provider || unbound.has(reason)) return
  ctx.store.transact(() =>
    recordEvent(ctx.store, {
      action: 'sso.refused',
      organizationId: provider.organization_id,
      userId: null,
      origin,
      target: { kind: 'sso-provider', id: provider.id },
      details: { reason },
      at: ctx.now().toISOString(),
    }),
  )
}
