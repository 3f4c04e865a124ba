import type { Config } from '../config.ts'
import { Fault } from '../errors.ts'
import { RateLimit } from '../lib/rate-limit.ts'
import { addressGroup } from './client-address.ts'

const minute = 60_000

/**
 * Rate limits on the requests of a user and on failed authentications from an address. Counts in memory, without rows
 * or timers.
 */
export class Throttles {
  readonly #requests: RateLimit | undefined
  readonly #failures: RateLimit | undefined

  constructor({
    maxRequestsPerMinute,
    maxAuthFailuresPerMinute,
  }: Pick<Config, 'maxRequestsPerMinute' | 'maxAuthFailuresPerMinute'>) {
    this.#requests = limitOf(maxRequestsPerMinute)
    this.#failures = limitOf(maxAuthFailuresPerMinute)
  }

  /** Counts a request of a user. Returns 0, or the milliseconds to wait above the limit. */
  take(userId: string): number {
    return this.#requests?.take(userId) ?? 0
  }

  /** Counts a request of a user. Throws 'too_many' above the limit. */
  check(userId: string): void {
    const wait = this.take(userId)
    if (wait === 0) return
    const retryAfter = Math.ceil(wait / 1000)
    throw new Fault('too_many', `Too many requests. Try again in ${retryAfter} s.`, undefined, {
      reason: 'requests',
      retryAfter,
    })
  }

  /**
   * Counts a failed authentication. Throws 'too_many' above the limit. Valid tokens are never counted, so clients
   * behind the same address are not locked out.
   */
  failed(address: string): void {
    const wait = this.#failures?.take(addressGroup(address)) ?? 0
    if (wait === 0) return
    const retryAfter = Math.ceil(wait / 1000)
    throw new Fault(
      'too_many',
      `Too many requests with an unusable token came from your address. Try again in ${retryAfter} s; a valid token works at once.`,
      undefined,
      { reason: 'authentication', retryAfter },
    )
  }
}

const limitOf = (perMinute: number): RateLimit | undefined =>
  perMinute === 0 ? undefined : new RateLimit(perMinute, minute)
