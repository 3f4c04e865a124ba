import type { Actor } from '../../access/asker.ts'
import { countGuess } from '../../access/count-guess.ts'
import type { Context } from '../../context.ts'
import { Fault } from '../../errors.ts'
import { RateLimit } from '../../lib/rate-limit.ts'
import type { Store } from '../../store/store.ts'
import { addressGroup } from './client-address.ts'

const minute = 60_000

type Caller = Exclude<Actor, { type: 'anonymous' }>

/**
 * The user and the token of a caller. A reader has no user; the token is then the digest of the
 * reading token. The token of an integration has its user, and the installation or integration
 * whose requests are counted apart from theirs.
 */
export type Whose = { userId?: string; tokenId: string; integration?: string }

/** Returns the user and the token of a caller. */
export function whoseOf(actor: Caller): Whose {
  if (actor.type === 'reader') return { tokenId: actor.tokenId }
  const { id: tokenId, installation_id, integration_id } = actor.token
  const integration = installation_id ?? integration_id
  return { userId: actor.user.id, tokenId, ...(integration !== null && { integration }) }
}

/**
 * Returns the name under which the requests of a caller are counted: a user, an integration, or a
 * reading token at one address. Many readers of a site have the same token, and a renderer sends
 * the tokens of many readers from one address.
 */
export const countedAs = ({ userId, tokenId, integration }: Whose, address: string): string =>
  integration ?? userId ?? `${tokenId} ${addressGroup(address)}`

/**
 * Rate limits on the requests of a caller and on failed authentications from an address. Counts in
 * memory; several nodes share the failures.
 */
export class Throttles {
  readonly #store: Store
  readonly #requests: RateLimit | undefined
  readonly #failures: RateLimit | undefined

  constructor({ config, store }: Pick<Context, 'config' | 'store'>) {
    this.#store = store
    this.#requests = limitOf(config.maxRequestsPerMinute)
    this.#failures = limitOf(config.maxAuthFailuresPerMinute)
  }

  /**
   * Counts a request under a name of `countedAs`. Returns 0, or the milliseconds to wait above the
   * limit.
   */
  take(name: string): number {
    return this.#requests?.take(name) ?? 0
  }

  /**
   * Returns the headers that tell a caller, under a name of `countedAs`, how many requests are left;
   * name and value in turn.
   */
  headers(name: string): string[] {
    const allowance = this.#requests?.left(name)
    if (!allowance) return []
    const { most, left, fullInMs } = allowance
    return [
      ...['RateLimit-Limit', String(most), 'RateLimit-Remaining', String(left)],
      ...['RateLimit-Reset', String(Math.ceil(fullInMs / 1000))],
    ]
  }

  /** Counts a request under a name of `countedAs`. Throws 'too_many' above the limit. */
  check(name: string): void {
    const wait = this.take(name)
    if (wait === 0) return
    const retryAfter = Math.ceil(wait / 1000)
    throw new Fault('rate_limited', `Too many requests. Try again in ${retryAfter} s.`, undefined, {
      label: 'requests',
      retryAfter,
    })
  }

  /**
   * Counts a failed authentication. Throws 'too_many' above the limit. Valid tokens are never
   * counted, so clients behind the same address are not locked out.
   */
  failed(address: string): void {
    const wait = this.#failures
      ? countGuess(this.#store, 'authentication', this.#failures, addressGroup(address))
      : 0
    if (wait === 0) return
    const retryAfter = Math.ceil(wait / 1000)
    throw new Fault(
      'too_many_bad_tokens',
      `Too many requests with an unusable token came from your address. Try again in ${retryAfter} s; a valid token works at once.`,
      undefined,
      { label: 'authentication', retryAfter },
    )
  }
}

const limitOf = (perMinute: number): RateLimit | undefined =>
  perMinute === 0 ? undefined : new RateLimit(perMinute, minute)
