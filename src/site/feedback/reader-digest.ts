import { createHmac, randomBytes } from 'node:crypto'
import { stateSlot } from '../../caches.ts'
import type { Context } from '../../context.ts'

/**
 * The key of a day. It is in memory only: after the day, or a restart, no digest can be told from
 * any other.
 */
const today = stateSlot(() => ({ day: '', key: Buffer.alloc(0) }))

/**
 * Returns the day, and a digest of the address of a reader that is the same for this day and site
 * alone.
 */
export function readerDigest(
  ctx: Pick<Context, 'caches'>,
  siteId: string,
  address: string,
  now: Date,
): { day: string; reader: string } {
  const day = now.toISOString().slice(0, 10)
  const kept = ctx.caches.get(today)
  if (kept.day !== day) Object.assign(kept, { day, key: randomBytes(32) })
  const reader = createHmac('sha256', kept.key)
    .update(`${siteId}\n${address}`)
    .digest('base64url')
    .slice(0, 22)
  return { day, reader }
}
