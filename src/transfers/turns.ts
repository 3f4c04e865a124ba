import { stateSlot } from '../caches.ts'
import type { Context } from '../context.ts'
import { Fault } from '../errors.ts'
import { FairSlots } from '../lib/fair-slots.ts'

/**
 * Eight transfers of a user run at once. Git does not repeat a request that is refused, so that
 * further ones wait.
 */
const turns = stateSlot(
  () =>
    new FairSlots({
      total: Number.POSITIVE_INFINITY,
      perShare: 8,
      waitersPerShare: 32,
      mostWaiting: 500,
      waitMs: 60_000,
      refusal: tooManyTransfers,
    }),
)

/** Returns the number of transfers under way. */
export const countRunning = (ctx: Context): number => ctx.caches.get(turns).load.held

/**
 * Waits for a turn of a user, and returns a function that ends it. Throws 'too_many' when too many
 * transfers wait or the wait is too long, and the reason of `gone` when the client leaves.
 */
export const takeTurn = (ctx: Context, userId: string, gone?: AbortSignal): Promise<() => void> =>
  ctx.caches.get(turns).take(userId, gone)

/** Returns the fault for a transfer beyond the limits. */
export function tooManyTransfers(): Fault {
  const refusal = { label: 'git_transfers', retryAfter: 5 }
  return new Fault(
    'too_many_concurrent',
    'Too many Git transfers are under way. Try again in a moment.',
    undefined,
    refusal,
  )
}
