import { isLimited } from '../../access/reach.ts'
import type { Context, Reach } from '../../context.ts'
import { descendsFrom, revokeToken } from '../../store/people/tokens.ts'
import type { EventActor } from '../events/audit-event.ts'
import { recordUserEvent } from '../events/record-event.ts'

/**
 * Returns the filter for the tokens of a user that a request may list and revoke: a limited token
 * sees only itself and its descendants.
 */
export const tokensWithin = (reach: Reach | undefined, userId: string) => ({
  userId,
  under: isLimited(reach) ? reach?.tokenId : undefined,
})

/**
 * Revokes a token of a user with its descendants, if the request may. Does nothing if there is no
 * such token. Call inside a transaction.
 */
export function revokeOwnToken(
  ctx: Context,
  userId: string,
  tokenId: string,
  by: EventActor,
): void {
  const { under } = tokensWithin(ctx.reach, userId)
  if (under === undefined || descendsFrom(ctx.store, tokenId, under))
    revokeRecorded(ctx, userId, tokenId, by)
}

/**
 * Revokes a token of a user with its descendants, and records it. Returns the ids of those that
 * were usable. Call inside a transaction.
 */
export function revokeRecorded(
  ctx: Context,
  userId: string,
  tokenId: string,
  by: EventActor,
): readonly string[] {
  const at = ctx.now().toISOString()
  const revoked = revokeToken(ctx.store, tokenId, at, userId)
  for (const id of revoked)
    recordUserEvent(ctx.store, userId, {
      action: 'token.revoked',
      ...by,
      target: { kind: 'token', id },
      details: { user: userId },
      at,
    })
  return revoked
}
