import { stateSlot } from '../../caches.ts'
import type { Context } from '../../context.ts'

/** How long a secret waits for the page that shows it, in milliseconds. */
const keptMs = 60_000
/** The maximum number of secrets that wait: a new one ends the oldest. */
const most = 1_000

type Kept = { secret: string; until: number }

const waiting = stateSlot(() => new Map<string, Kept>())

const keyOf = (sessionId: string, what: string): string => `${sessionId} ${what}`

/**
 * Keeps a secret for the next page of a session, in memory alone: it is in no address, no cookie and
 * no row.
 */
export function keepSecret(ctx: Context, sessionId: string, what: string, secret: string): void {
  const secrets = ctx.caches.get(waiting)
  const now = Date.now()
  for (const [key, { until }] of secrets) {
    if (until > now && secrets.size < most) break
    secrets.delete(key)
  }
  const key = keyOf(sessionId, what)
  secrets.delete(key)
  secrets.set(key, { secret, until: now + keptMs })
}

/** Returns the secret that a form of a session left, once; undefined for none. */
export function takeSecret(ctx: Context, sessionId: string, what: string): string | undefined {
  const secrets = ctx.caches.get(waiting)
  const key = keyOf(sessionId, what)
  const kept = secrets.get(key)
  secrets.delete(key)
  return kept && kept.until > Date.now() ? kept.secret : undefined
}
