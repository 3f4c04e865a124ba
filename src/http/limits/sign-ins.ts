import { countGuess } from '../../access/count-guess.ts'
import { stateSlot } from '../../caches.ts'
import type { Context } from '../../context.ts'
import { Fault } from '../../errors.ts'
import { RateLimit } from '../../lib/rate-limit.ts'
import { addressGroup } from './client-address.ts'

/**
 * The maximum number of steps of sign-ins from one address per minute, and of lists of providers.
 */
const mostSteps = 100

const minute = 60_000
const steps = stateSlot(() => new RateLimit(mostSteps, minute))
const lists = stateSlot(() => new RateLimit(mostSteps, minute))

function refuse(wait: number, sentence: string): void {
  if (wait === 0) return
  const retryAfter = Math.ceil(wait / 1000)
  throw new Fault('rate_limited', `${sentence} Try again in ${retryAfter} s.`, undefined, {
    label: 'sso',
    retryAfter,
  })
}

/** Counts a step of a sign-in. Throws 'too_many' above the limit of the address. */
export const countStep = (ctx: Context, address: string): void =>
  refuse(
    countGuess(ctx.store, 'sign-in', ctx.caches.get(steps), addressGroup(address)),
    'Too many sign-ins were started from your address.',
  )

/** Returns the fault for a sign-in that waited too long for others of its provider. */
export function tooManySignIns(): Fault {
  const message =
    'Too many people sign in through this identity provider right now. Try again in 10 s.'
  return new Fault('busy', message, undefined, { label: 'sso', retryAfter: 10 })
}

/**
 * Counts a list of the providers of an organization. Throws 'too_many' above the limit of the
 * address.
 */
export const countList = (ctx: Context, address: string): void =>
  refuse(
    ctx.caches.get(lists).take(addressGroup(address)),
    'Too many organizations were looked up from your address.',
  )
