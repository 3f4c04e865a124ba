import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Origin } from '../../access/asker.ts'
import type { Context } from '../../context.ts'
import { Fault } from '../../errors.ts'
import { sha256 } from '../../lib/digest.ts'
import { revokeToken } from '../../store/people/tokens.ts'
import { findUser } from '../../store/people/users.ts'
import { findCode, insertCode, useCode } from '../../store/sso/codes.ts'
import { findProvider } from '../../store/sso/providers.ts'
import { isSignedIn } from '../../store/sso/signed-in.ts'
import type { SsoCodeRow, SsoProviderRow, TokenRow, UserRow } from '../../store/tables/rows.ts'
import { recordEvent } from '../events/record-event.ts'
import { createProviderToken } from './provider-token.ts'
import type { SignedIn } from './sign-in.ts'

const second = 1000
const minute = 60 * second
const hour = 60 * minute

/** How long a code is valid that the browser carries to a program, and one that a person copies. */
const carriedMs = 60 * second
const copiedMs = 5 * minute
/** How long a used code is remembered, for a second use. */
const rememberedMs = hour

/**
 * Returns a new one-time code for a member who has signed in. Call inside the transaction of the
 * sign-in.
 */
export function createCode(ctx: Context, { provider, request, identity, user }: SignedIn): string {
  const code = randomBytes(32).toString('base64url')
  const now = ctx.now().getTime()
  insertCode(ctx.store, {
    hash: sha256(code),
    provider_id: provider.id,
    user_id: user.id,
    code_challenge: request.code_challenge,
    session_ends_at: identity.sessionEndsAt ?? null,
    created_at: new Date(now).toISOString(),
    expires_at: new Date(
      now + (request.redirect_uri === null ? copiedMs : carriedMs),
    ).toISOString(),
  })

  return code
}

type Exchanged = { row: TokenRow; secret: string; user: UserRow; provider: SsoProviderRow }

/**
 * Exchanges a one-time code for a token that is limited to the organization of its provider. Throws
 * 'invalid' for a code that is unknown, expired or used, or has another verifier. Call inside a
 * transaction.
 */
export function exchangeCode(
  ctx: Context,
  { code, verifier }: { code: string; verifier: string | undefined },
  origin: Origin,
): Exchanged {
  const now = ctx.now()
  const row = findCode(ctx.store, sha256(code), now.toISOString())
  if (!row || row.token_id !== null || !isVerified(row, verifier)) throw unusable()

  const provider = findProvider(ctx.store, row.provider_id)
  const user = findUser(ctx.store, row.user_id)
  if (!provider || !user) throw unusable()

  const organizationId = provider.organization_id
  if (!isSignedIn(ctx.store, { providerId: provider.id, organizationId, userId: user.id }))
    throw unusable()

  const name = `Single sign-on: ${provider.label}`
  const made = createProviderToken(
    ctx,
    { provider, user, name, sessionEndsAt: row.session_ends_at },
    origin,
  )

  useCode(ctx.store, row.hash, {
    token_id: made.row.id,
    expires_at: new Date(now.getTime() + rememberedMs).toISOString(),
  })

  return { ...made, user, provider }
}

/** Revokes the token of a code that was used before, with its descendants. */
export function endReused(ctx: Context, code: string): void {
  const at = ctx.now().toISOString()
  const row = findCode(ctx.store, sha256(code), at)
  const tokenId = row?.token_id
  if (!row || !tokenId) return
  ctx.store.transact(() => {
    const provider = findProvider(ctx.store, row.provider_id)
    for (const id of revokeToken(ctx.store, tokenId, at))
      if (provider)
        recordEvent(ctx.store, {
          action: 'token.revoked',
          organizationId: provider.organization_id,
          userId: null,
          origin: null,
          target: { kind: 'token', id },
          details: { user: row.user_id, by: 'reuse' },
          at,
        })
  })
}

const unusable = () =>
  new Fault(
    'sign_in_expired',
    'The code is unknown, has expired or was used before, or "code_verifier" does not fit. Sign in again.',
  )

/**
 * Returns whether a verifier fits the challenge (S256) that the sign-in began with; none fits no
 * challenge.
 */
function isVerified(
  { code_challenge: challenge }: SsoCodeRow,
  verifier: string | undefined,
): boolean {
  if (challenge === null || verifier === undefined)
    return challenge === null && verifier === undefined
  const digest = createHash('sha256').update(verifier).digest()
  const wanted = Buffer.from(challenge, 'base64url')
  return digest.length === wanted.length && timingSafeEqual(digest, wanted)
}
