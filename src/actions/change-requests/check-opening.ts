import type { Context } from '../../context.ts'
import { findCreation } from '../../store/find-creation.ts'
import { countEffects } from '../../store/git/intents.ts'
import type { Effect } from '../journal/effects.ts'
import { checkDaily } from '../repositories/check-quota.ts'

const opening: Effect['do'] = 'insert-change-request'

/**
 * Checks that a user may open another change request today, or `count` at once. Throws 'too_many'.
 */
export function checkOpening(ctx: Context, userId: string, count = 1): void {
  if (count === 0) return
  checkDaily(ctx, {
    most: ctx.config.maxChangeRequestsPerDay,
    // Those that other writes open now have no row yet.
    count: count + countEffects(ctx.store, userId, opening),
    what: 'new change requests',
    instead: 'Change an existing one, or try again',
    label: 'change_requests',
    timeOf: (since, nth) => findCreation(ctx.store, 'change_request', userId, since, nth),
  })
}
