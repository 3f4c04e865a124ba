import type { Idempotency } from '../access/asker.ts'
import type { Context } from '../context.ts'
import { Fault } from '../errors.ts'
import { findIdempotency } from '../store/idempotency.ts'

const day = 24 * 60 * 60 * 1000

/**
 * Throws 'conflict' for a key whose request was done: one that was begun and left is finished before the next writes, and
 * that may be the same one, sent again. To be asked in the transaction that decides.
 */
export function checkUnused(ctx: Context, { userId, key, requestHash }: Idempotency): void {
  const kept = findIdempotency(ctx.store, userId, key)
  if (kept?.request_hash === requestHash && Date.parse(kept.created_at) > ctx.now().getTime() - day)
    throw new Fault('conflict', 'This Idempotency-Key was answered meanwhile: send the request again.')
}
