import { countGuess } from '../../access/count-guess.ts'
import { stateSlot } from '../../caches.ts'
import type { Context } from '../../context.ts'
import { Fault } from '../../errors.ts'
import { RateLimit } from '../../lib/rate-limit.ts'

const minute = 60_000
/**
 * The maximum number of addresses that a client without the token of a user resolves per minute.
 */
const mostCalls = 600
/**
 * The maximum number of addresses that lead nowhere that a client resolves per minute. The address
 * of a renderer stands for many readers, who follow broken links; for guesses at keys of share
 * links, which have 20 random characters, any limit of this size is low enough.
 */
const mostNowhere = 120

const calls = stateSlot(() => new RateLimit(mostCalls, minute))
const nowhere = stateSlot(() => new RateLimit(mostNowhere, minute))

/**
 * Counts a call without the token of a user. `client` is the group of its address. Throws
 * 'too_many' above the limit of the client's address. Calls with reading tokens count as well,
 * since each resolved address returns one.
 */
export const countCall = (ctx: Context, client: string): void =>
  refuse(
    ctx.caches.get(calls).take(client),
    'published',
    'Too many addresses were resolved without the token of a user. Send one, or try again',
  )

/**
 * Counts an address that was resolved without the token of a user and leads nowhere. Throws
 * 'too_many' above the limit of the client's address. It does not matter why the address leads
 * nowhere: a limit on wrong keys alone would reveal which sites have share links. The limit does
 * not lock a client out: an address that leads somewhere is not counted, and is answered above the
 * limit.
 */
export const countNowhere = (ctx: Context, client: string): void =>
  refuse(
    countGuess(ctx.store, 'nowhere', ctx.caches.get(nowhere), client),
    'nowhere',
    'Too many addresses that lead nowhere were resolved. Try again',
  )

function refuse(wait: number, label: string, sentence: string): void {
  if (wait === 0) return
  const retryAfter = Math.ceil(wait / 1000)
  throw new Fault('rate_limited', `${sentence} in ${retryAfter} s.`, undefined, {
    label,
    retryAfter,
  })
}
