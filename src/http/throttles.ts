import type { Config } from '../config.ts'
import { Fault } from '../errors.ts'
import { RateLimit } from '../lib/rate-limit.ts'
import { addressGroup } from './client-address.ts'

const minute = 60_000

/** How often a user may ask, and an address may fail to say who it is. Counts in memory, without a row or a timer. */
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

  /** Counts a request of a user. Returns 0, or the milliseconds to wait when there were too many. */
  take(userId: string): number {
    return this.#requests?.take(userId) ?? 0
  }

  /** Counts a request of a user. Throws 'too_many' when there were too many. */
  check(userId: string): void {
    const wait = this.take(userId)
    if (wait === 0) return
    const retryAfter = Math.ceil(wait / 1000)
    throw new Fault('too_many', `You have sent too many requests. Try again in ${retryAfter} s.`, undefined, {
      reason: 'requests',
      retryAfter,
    })
  }

  /**
   * Counts a token that did not work. Throws 'too_many' when too many came from this address: a token that works is never
   * counted, so others behind the same address are not kept out.
   */
  failed(address: string): void {
    const wait = this.#failures?.take(addressGroup(address)) ?? 0
    if (wait === 0) return
    const retryAfter = Math.ceil(wait / 1000)
    throw new Fault(
      'too_many',
      `Too many requests from your address had a token that cannot be used. Try again in ${retryAfter} s, or with a valid token at once.`,
      undefined,
      { reason: 'authentication', retryAfter },
    )
  }
}

const limitOf = (perMinute: number): RateLimit | undefined =>
  perMinute === 0 ? undefined : new RateLimit(perMinute, minute)
