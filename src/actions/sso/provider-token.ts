import type { Origin } from '../../access/asker.ts'
import type { Context } from '../../context.ts'
import { revokeToken } from '../../store/people/tokens.ts'
import { listSignInTokens } from '../../store/sso/signed-in.ts'
import type { SsoProviderRow, TokenRow, UserRow } from '../../store/tables/rows.ts'
import { recordEvent } from '../events/record-event.ts'
import { createToken } from '../people/create-token.ts'

const hour = 60 * 60_000
/**
 * The maximum number of live tokens from sign-ins of a user through one provider: a new one ends
 * the oldest.
 */
const mostTokens = 20

type Wanted = {
  provider: SsoProviderRow
  user: UserRow
  name: string
  /** When the provider ends the session; null: it does not say. */
  sessionEndsAt: string | null
}

/**
 * Creates a token for a member who signed in through a provider, limited to its organization. It
 * ends with the session at the provider, at the latest after the operator's limit. The oldest such
 * token ends when there are too many. Call inside a transaction.
 */
export function createProviderToken(
  ctx: Context,
  { provider, user, name, sessionEndsAt }: Wanted,
  origin: Origin | null,
): { row: TokenRow; secret: string } {
  const now = ctx.now()
  const latest = now.getTime() + ctx.config.ssoTokenHours * hour
  const end = sessionEndsAt === null ? latest : Math.min(latest, Date.parse(sessionEndsAt))
  const organizationId = provider.organization_id
  const expiresAt = new Date(end).toISOString()
  const made = createToken(
    ctx.store,
    { userId: user.id, name, expiresAt, organizationId, providerId: provider.id },
    now,
  )

  recordEvent(ctx.store, {
    action: 'token.created',
    organizationId,
    userId: user.id,
    origin,
    target: { kind: 'token', id: made.row.id },
    details: { user: user.id, organization: organizationId, provider: provider.id, expiresAt },
    at: made.row.created_at,
  })
  endOldest(ctx, provider, user.id)

  return made
}

/**
 * Revokes the oldest sign-in tokens of a user above the limit, with the tokens that were made with
 * them.
 */
function endOldest(ctx: Context, provider: SsoProviderRow, userId: string): void {
  const at = ctx.now().toISOString()
  const beyond = listSignInTokens(ctx.store, { userId, providerId: provider.id }, at, mostTokens)
  for (const id of beyond.flatMap(each => revokeToken(ctx.store, each, at)))
    recordEvent(ctx.store, {
      action: 'token.revoked',
      organizationId: provider.organization_id,
      userId: null,
      origin: null,
      target: { kind: 'token', id },
      details: { user: userId, by: 'limit' },
      at,
    })
}
