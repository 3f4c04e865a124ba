import type { Idempotency } from '../../access/asker.ts'
import type { Context } from '../../context.ts'
import { Fault } from '../../errors.ts'
import { findAnswer } from '../../store/events/idempotency.ts'

/**
 * Throws 'conflict' for a key whose request was done: one that was begun and left is finished before the next writes, and
 * that may be the same one, sent again. To be asked in the transaction that decides.
 */
export function checkUnused(ctx: Context, to: Idempotency): void {
  // By a clock that has just jumped every answer may seem old.
  const now = ctx.destroyWait() > 0 ? null : ctx.now()
  if (findAnswer(ctx.store, to, now)?.request_hash === to.requestHash)
    throw new Fault('conflict', 'This Idempotency-Key was answered meanwhile: send the request again.')
}
