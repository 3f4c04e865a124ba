import type { z } from 'zod'
import type { Context } from '../../context.ts'
import { Fault } from '../../errors.ts'
import { countLiveTokens } from '../../store/people/tokens.ts'
import type { TokenRow } from '../../store/tables/rows.ts'
import type { EventActor } from '../events/audit-event.ts'
import { recordUserEvent } from '../events/record-event.ts'
import { createToken } from './create-token.ts'
import { inherit } from './inherit.ts'
import type { TokenBody } from './token-body.ts'

/**
 * Creates a token of a user and records it. `parent` limits it: the token of the request, or none
 * for an operator. Returns the secret, which is not stored. Throws as `inherit` does, and
 * 'too_many' for a user at the limit of tokens. Call inside a transaction.
 */
export function issueToken(
  ctx: Context,
  userId: string,
  body: z.output<typeof TokenBody>,
  by: EventActor,
  parent?: TokenRow,
): { row: TokenRow; secret: string } {
  checkTokenCount(ctx, userId)
  const asked = { userId, name: body.name, ...inherit(ctx, userId, parent, body) }
  const made = createToken(ctx.store, asked, ctx.now())
  const { row } = made

  recordUserEvent(ctx.store, userId, {
    action: 'token.created',
    ...by,
    target: { kind: 'token', id: row.id },
    details: {
      user: userId,
      scopes: row.scopes,
      ...(row.organization_id !== null && { organization: row.organization_id }),
      ...(row.space_id !== null && { space: row.space_id }),
      ...(row.parent_id !== null && { parent: row.parent_id }),
      ...(row.expires_at !== null && { expiresAt: row.expires_at }),
    },
    at: row.created_at,
  })

  return made
}

function checkTokenCount(ctx: Context, userId: string): void {
  const most = ctx.config.maxTokens
  if (countLiveTokens(ctx.store, userId, ctx.now().toISOString()) < most) return
  throw new Fault(
    'too_many_tokens',
    `A user can have ${most} tokens. Revoke tokens that are no longer used.`,
    undefined,
    { label: 'tokens', retryAfter: 3600 },
  )
}
