import type { Context, Reach } from '../context.ts'
import { sha256 } from '../lib/digest.ts'
import { note } from '../store/note.ts'
import { findToken } from '../store/people/tokens.ts'
import { findUser } from '../store/people/users.ts'
import {
  findSessionByHash,
  noteSessionUse,
  type SessionFilter,
  type SessionTimes,
} from '../store/sso/sessions.ts'
import type { SessionRow } from '../store/tables/rows.ts'
import { whyUnusable } from './actor.ts'
import type { Actor } from './asker.ts'

/** How often the last use of a session is written, in milliseconds. */
const notedMs = 60_000

/** A user with the token that reads, with all its limits. */
export type SignedInUser = { actor: Extract<Actor, { type: 'user' }> }

/** A user in a browser. The actor has the token of the session. */
export type SessionUser = SignedInUser & { session: SessionRow }

/** Returns the times between which sessions are valid. */
export function sessionTimes({ config }: Context, now: Date): SessionTimes {
  const idleSince = new Date(now.getTime() - config.sessionIdleMinutes * 60_000)
  return { at: now.toISOString(), idleSince: idleSince.toISOString() }
}

/**
 * Returns the user of the session with this secret; undefined if the session is unknown, revoked,
 * expired or idle for too long, or its token can no longer be used. Notes the use.
 */
export function findSessionUser(ctx: Context, secret: string): SessionUser | undefined {
  const found = sessionNow(ctx, { hash: sha256(secret) })
  if (!found) return undefined
  const { actor, session } = found
  const now = new Date(ctx.store.time)
  ctx.tokenUses.note(actor.token.id, now.getTime())
  if (now.getTime() - Date.parse(lastUse(session)) > notedMs)
    note(() => noteSessionUse(ctx.store, session.id, now.toISOString()))

  return found
}

const lastUse = (session: SessionRow): string => session.last_used_at ?? session.created_at

/** Returns the user of a session like `findSessionUser`, without noting a use. */
export function sessionNow(
  ctx: Context,
  { hash }: Pick<SessionRow, 'hash'>,
): SessionUser | undefined {
  const session = findSessionByHash(ctx.store, hash)
  const now = new Date(ctx.store.time)
  if (!session || session.revoked_at !== null) return undefined

  const { at, idleSince } = sessionTimes(ctx, now)
  if (session.expires_at <= at || lastUse(session) <= idleSince) return undefined

  const token = findToken(ctx.store, session.token_id)
  const user = token && findUser(ctx.store, token.user_id)
  if (!token || !user || whyUnusable(ctx, token, now.getTime()) !== undefined) return undefined

  return { actor: { type: 'user', user, token }, session }
}

/**
 * Returns the sessions of a user that a token may list and end: those limited to its organization
 * if it is limited to one, those opened with it if it is limited to a space.
 */
export function sessionsWithin(reach: Reach | undefined, userId: string): SessionFilter {
  if (reach === undefined) return { userId }
  if (reach.spaceId !== null) return { userId, tokenId: reach.tokenId }
  return { userId, ...(reach.organizationId !== null && { organizationId: reach.organizationId }) }
}
