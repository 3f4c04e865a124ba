import { stateSlot } from '../../caches.ts'
import type { Context } from '../../context.ts'
import { Fault } from '../../errors.ts'
import { addressGroup } from '../../http/client-address.ts'
import { RateLimit } from '../../lib/rate-limit.ts'

const minute = 60_000
/** The maximum number of addresses that a client without the token of a user resolves per minute. */
const mostCalls = 600
/** The maximum number of wrong keys of share links that a client sends per minute. */
const mostWrongKeys = 30

const calls = stateSlot(() => new RateLimit(mostCalls, minute))
const wrongKeys = stateSlot(() => new RateLimit(mostWrongKeys, minute))

/**
 * Counts a call without the token of a user. Throws 'too_many' above the limit of the client's address. Calls with reading
 * tokens count as well, since each resolved address returns one.
 */
export const countCall = (ctx: Context, address: string): void =>
  refuse(
    ctx.caches.get(calls).take(addressGroup(address)),
    'published',
    'Too many addresses were resolved without the token of a user. Send one, or try again',
  )

/**
 * Counts a wrong key of a share link. Throws 'too_many' above the limit of the client's address. The limit bounds
 * work and does not lock an address out: a right key is not counted, and is admitted above the limit.
 */
export const countWrongKey = (ctx: Context, address: string): void =>
  refuse(
    ctx.caches.get(wrongKeys).take(addressGroup(address)),
    'share_key',
    'Too many addresses with wrong keys were resolved. Try again',
  )

function refuse(wait: number, reason: string, sentence: string): void {
  if (wait === 0) return
  const retryAfter = Math.ceil(wait / 1000)
  throw new Fault('too_many', `${sentence} in ${retryAfter} s.`, undefined, { reason, retryAfter })
}
