import { randomBytes } from 'node:crypto'
import type { Origin } from '../../access/asker.ts'
import { sessionTimes } from '../../access/session.ts'
import type { Context } from '../../context.ts'
import { randomId, sha256 } from '../../lib/digest.ts'
import { noLimit } from '../../store/dialect.ts'
import { revokeToken } from '../../store/people/tokens.ts'
import {
  insertSession,
  listSessions,
  revokeSession,
  type SessionFilter,
} from '../../store/sso/sessions.ts'
import type { SessionRow, TokenRow } from '../../store/tables/rows.ts'
import type { AuditEvent } from '../events/audit-event.ts'
import { recordEvent, recordUserEvent } from '../events/record-event.ts'
import { createToken } from '../people/create-token.ts'
import { createProviderToken } from './provider-token.ts'
import type { SignedIn } from './sign-in.ts'

const hour = 60 * 60_000
/** The maximum number of sessions of a user: a new one ends the oldest. */
const mostSessions = 50
const longestAgent = 200

/** The browser of a new session, with the session that it has: the new one replaces it. */
export type Browser = {
  userAgent: string | undefined
  address: string
  session?: SessionRow | undefined
}

type OpenedSession = { row: SessionRow; secret: string }

/**
 * Opens a browser session with the rights of a token, which a person entered. It ends with the
 * token, at the latest after the operator's limit. The secret is returned once and never stored.
 * Call inside a transaction.
 */
export const openSession = (
  ctx: Context,
  token: TokenRow,
  browser: Browser,
  origin: Origin | null,
): OpenedSession => open(ctx, token, { own: false }, browser, origin)

/**
 * Opens a browser session for a user whom a link let in, with a token of its own, whose secret is
 * thrown away. Call inside the transaction that takes the link.
 */
export function openOwnSession(
  ctx: Context,
  userId: string,
  browser: Browser,
  origin: Origin | null,
): OpenedSession {
  const expiresAt = latestEnd(ctx)
  const { row } = createToken(ctx.store, { userId, name: 'Browser session', expiresAt }, ctx.now())

  recordUserEvent(ctx.store, userId, {
    action: 'token.created',
    userId,
    origin,
    target: { kind: 'token', id: row.id },
    details: { user: userId, expiresAt },
    at: row.created_at,
  })

  return open(ctx, row, { own: true }, browser, origin)
}

/** Returns when a session that begins now ends at the latest. */
const latestEnd = (ctx: Context): string =>
  new Date(ctx.now().getTime() + ctx.config.ssoTokenHours * hour).toISOString()

/**
 * Opens a browser session for a member who signed in through a provider, with a token of its own,
 * whose secret is thrown away. Call inside the transaction of the sign-in.
 */
export function openProviderSession(
  ctx: Context,
  { provider, user, identity }: SignedIn,
  browser: Browser,
  origin: Origin | null,
): OpenedSession {
  const sessionEndsAt = identity.sessionEndsAt ?? null
  const name = `Browser session: ${provider.label}`
  const { row } = createProviderToken(ctx, { provider, user, name, sessionEndsAt }, origin)
  return open(ctx, row, { own: true, providerId: provider.id }, browser, origin)
}

function open(
  ctx: Context,
  token: TokenRow,
  { own, providerId = null }: { own: boolean; providerId?: string | null },
  { userAgent, address, session: former }: Browser,
  origin: Origin | null,
): OpenedSession {
  const now = ctx.now()
  const userId = token.user_id
  if (former) {
    const { id, user_id } = former
    endSession(ctx, { userId: user_id }, id, { why: 'replaced', userId: user_id, origin })
  }

  for (const { id } of listSessions(ctx.store, { userId }, sessionTimes(ctx, now), noLimit).slice(
    mostSessions - 1,
  ))
    endSession(ctx, { userId }, id, { why: 'limit', userId, origin: null })

  const secret = randomBytes(32).toString('base64url')
  const latest = latestEnd(ctx)
  const row = insertSession(ctx.store, {
    id: randomId(),
    hash: sha256(secret),
    user_id: userId,
    provider_id: providerId,
    organization_id: token.organization_id,
    token_id: token.id,
    own_token: Number(own),
    user_agent: userAgent?.slice(0, longestAgent) ?? null,
    address,
    created_at: now.toISOString(),
    expires_at: token.expires_at !== null && token.expires_at < latest ? token.expires_at : latest,
  })

  record(ctx, row, {
    action: 'session.created',
    userId,
    origin,
    details: {
      user: userId,
      token: token.id,
      ...(providerId !== null && { provider: providerId }),
    },
    at: row.created_at,
  })

  return { row, secret }
}

/** Why a session ends, and who ends it. */
type SessionEnd = {
  why: 'sign-out' | 'revoked' | 'limit' | 'replaced'
  userId: string
  origin: Origin | null
}

/**
 * Ends a session among those of a filter, with the token that was made for it. Does nothing if
 * there is no such session, or it has ended. Call inside a transaction.
 */
export function endSession(
  ctx: Context,
  filter: SessionFilter,
  id: string,
  { why, userId, origin }: SessionEnd,
): void {
  const at = ctx.now().toISOString()
  const row = revokeSession(ctx.store, filter, id, at)
  if (!row) return
  if (row.own_token === 1) revokeToken(ctx.store, row.token_id, at)
  record(ctx, row, {
    action: why === 'sign-out' ? 'session.signed_out' : 'session.revoked',
    userId,
    origin,
    details: {
      user: row.user_id,
      ...(why !== 'sign-out' && { by: why === 'revoked' ? 'user' : why }),
    },
    at,
  })
}

/**
 * Records an event of a session: in the organization that it is limited to, or in all organizations
 * of its user.
 */
function record(
  ctx: Context,
  { id, user_id: userId, organization_id: organizationId }: SessionRow,
  event: Omit<AuditEvent, 'organizationId' | 'spaceId' | 'target'>,
): void {
  const target = { kind: 'session', id }
  if (organizationId === null) recordUserEvent(ctx.store, userId, { ...event, target })
  else recordEvent(ctx.store, { ...event, organizationId, target })
}
