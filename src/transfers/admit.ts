import type { Request, Response } from 'express'
import { findActor } from '../access/actor.ts'
import { admitToken } from '../access/admit-token.ts'
import type { Actor } from '../access/asker.ts'
import { type SpaceGrant, signedIn, space } from '../access/guards/space.ts'
import { atLeast } from '../access/roles.ts'
import type { PushScope } from '../actions/push/push.ts'
import type { Context } from '../context.ts'
import { Fault } from '../errors.ts'
import type { Service } from '../git/protocol/advertise.ts'
import { abortSignalOf } from '../http/abort-signal.ts'
import { clientAddress } from '../http/limits/client-address.ts'
import { countedAs, type Throttles, whoseOf } from '../http/limits/throttles.ts'

/**
 * A caller who may use a service of a space, with the context limited to the reach of the token.
 */
export type Admitted = SpaceGrant & { ctx: Context; tokenId: string }

const howToLogIn = 'Log in with any name, and a token of yours as the password.'

/**
 * Returns the caller of a request if they may fetch from the space, or push to it. Rights are
 * checked for every request; `throttles` count it. Throws 'unauthenticated', 'too_many', 'missing'
 * and 'forbidden' with sentences that Git shows.
 */
export async function admit(
  whole: Context,
  throttles: Throttles | undefined,
  {
    req,
    res,
    spaceId,
    service,
  }: { req: Request; res: Response; spaceId: string; service: Service },
): Promise<Admitted> {
  const actor = identify(whole, throttles, req)
  if (actor.type !== 'user') throw unusable()
  Object.assign(res.locals, { userId: actor.user.id, tokenId: actor.token.id })
  const isPush = service === 'git-receive-pack'
  const ctx = isPush
    ? admitPush(whole, actor, spaceId)
    : admitToken(
        whole,
        actor,
        { operationId: 'gitFetch', scope: 'content:read', readers: false },
        { spaceId },
      )

  const granted = await space('read')({
    ctx,
    actor,
    params: { spaceId },
    request: {
      id: String(res.locals.requestId ?? ''),
      signal: abortSignalOf(res),
      method: req.method,
      url: req.originalUrl,
      header: name => req.get(name),
      origin: {
        requestId: String(res.locals.requestId ?? ''),
        address: clientAddress(req, whole.config.trustProxy),
        tokenId: actor.token.id,
      },
    },
  })
  if (isPush && !atLeast(granted.role, 'edit'))
    throw new Fault(
      'role_required',
      `Pushing needs the role "edit" in the space; yours is "${granted.role}".`,
    )

  return { ...granted, user: signedIn(actor), ctx, tokenId: actor.token.id }
}

/**
 * Admits a token that may write something of a space: which branches it may push is asked for each.
 */
function admitPush(ctx: Context, actor: Actor, spaceId: string): Context {
  try {
    return admitForPush(ctx, actor, spaceId, 'content')
  } catch (error) {
    if (!(error instanceof Fault) || error.kind !== 'forbidden') throw error
    return admitForPush(ctx, actor, spaceId, 'change-requests')
  }
}

const admitForPush = (ctx: Context, actor: Actor, spaceId: string, scope: PushScope): Context =>
  admitToken(
    ctx,
    actor,
    { operationId: 'gitPush', scope: `${scope}:write`, readers: false },
    { spaceId },
  )

/**
 * Throws a Fault unless the token of a request can be used, as of now, to push what needs this
 * scope.
 */
export function checkToken(ctx: Context, req: Request, spaceId: string, scope: PushScope): void {
  admitForPush(ctx, identify(ctx, undefined, req), spaceId, scope)
}

function identify(ctx: Context, throttles: Throttles | undefined, req: Request): Actor {
  const header = req.headers.authorization
  if (header === undefined) throw new Fault('token_required', howToLogIn)
  const address = clientAddress(req, ctx.config.trustProxy)
  let actor: Actor

  try {
    actor = findActor(ctx, `Bearer ${tokenIn(header) ?? ''}`)
  } catch (error) {
    throttles?.failed(address)
    throw error instanceof Fault && error.kind === 'unauthenticated'
      ? unusable(error.refusal?.label)
      : error
  }

  if (actor.type !== 'anonymous') throttles?.check(countedAs(whoseOf(actor), address))

  return actor
}

const unusable = (reason = 'malformed'): Fault =>
  new Fault('token_unusable', `The token cannot be used. ${howToLogIn}`, undefined, {
    label: reason,
  })

/** The longest header, and the longest token in it. */
const mostHeader = 2048
const mostToken = 400

/**
 * Returns the token in an Authorization header: the password of Basic, its name where there is no
 * password (or "x-oauth-basic", which some tools fill in), or that of Bearer. Undefined for a
 * header without a usable one.
 */
export function tokenIn(header: string): string | undefined {
  if (header.length > mostHeader) return undefined
  const [, scheme = '', value = ''] = /^(basic|bearer) +(\S+)$/i.exec(header) ?? []
  const token = scheme.toLowerCase() === 'basic' ? tokenInBasic(value) : value
  return token !== '' && token.length <= mostToken && !/\s/.test(token) ? token : undefined
}

function tokenInBasic(value: string): string {
  const text = Buffer.from(value, 'base64').toString()
  const colon = text.indexOf(':')
  if (colon === -1) return ''
  const password = text.slice(colon + 1)
  return password === '' || password === 'x-oauth-basic' ? text.slice(0, colon) : password
}
