import { stateSlot } from '../../caches.ts'
import type { Context } from '../../context.ts'
import { Fault } from '../../errors.ts'
import { BoundedCache } from '../../lib/bounded-cache.ts'
import { RateLimit } from '../../lib/rate-limit.ts'

const minute = 60_000
/**
 * The most different claims that a client states without a signature per minute: content is
 * prepared for each of them.
 */
const mostClaims = 60
/** The clients and claims that are remembered, and not counted again. */
const mostKnown = 20_000

const limits = stateSlot(() => ({
  rate: new RateLimit(mostClaims, minute),
  known: new BoundedCache<string, true>(mostKnown),
}))

/**
 * Counts claims that a client states without a signature. `client` is the group of its address.
 * Throws 'too_many' for one that states many different ones.
 */
export function countClaims(ctx: Context, client: string, claimsId: string): void {
  const { rate, known } = ctx.caches.get(limits)
  const key = `${client} ${claimsId}`
  if (known.get(key)) return

  const wait = rate.take(client)

  if (wait > 0) {
    const retryAfter = Math.ceil(wait / 1000)
    throw new Fault(
      'rate_limited',
      `Too many different claims were sent. Try again in ${retryAfter} s.`,
      undefined,
      {
        label: 'claims',
        retryAfter,
      },
    )
  }

  known.set(key, true, 1)
}
