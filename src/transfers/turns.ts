import { stateSlot } from '../caches.ts'
import type { Context } from '../context.ts'
import { Fault } from '../errors.ts'

/** The most transfers of one user at once. */
const mostOfUser = 8

/** The number of transfers under way, by user. */
const running = stateSlot(() => new Map<string, number>())

/** Returns the number of transfers under way. */
export function countRunning(ctx: Context): number {
  let sum = 0
  for (const count of ctx.caches.get(running).values()) sum += count
  return sum
}

/** Throws 'too_many' when a user has as many transfers under way as allowed. */
export function checkTurn(ctx: Context, userId: string): void {
  if ((ctx.caches.get(running).get(userId) ?? 0) >= mostOfUser) throw tooManyTransfers()
}

/** Counts a transfer of a user; returns a function that ends it. Throws 'too_many'. */
export function takeTurn(ctx: Context, userId: string): () => void {
  checkTurn(ctx, userId)
  const counts = ctx.caches.get(running)
  counts.set(userId, (counts.get(userId) ?? 0) + 1)
  let ended = false
  return () => {
    if (ended) return
    ended = true
    const left = (counts.get(userId) ?? 1) - 1
    if (left > 0) counts.set(userId, left)
    else counts.delete(userId)
  }
}

/** Returns the fault for a transfer beyond the limits. */
export const tooManyTransfers = (): Fault =>
  new Fault('too_many', 'Too many Git transfers are under way. Try again in a moment.', undefined, {
    reason: 'git_transfers',
    retryAfter: 5,
  })
