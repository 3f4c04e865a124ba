import { sql } from 'kysely'
import { Rows } from '../rows.ts'
import type { Store } from '../store.ts'
import { query, sqlRows } from '../store.ts'
import type { SessionRow } from '../tables/rows.ts'

const sessions = new Rows('session')

/** Returns the session with this SHA-256 of its secret, in any state. */
export const findSessionByHash = sessions.find('hash')

/** Inserts a session. */
export const insertSession = sessions.insert

/** Records when a session was last used, without waiting for the disk. */
export const noteSessionUse = (store: Store, id: string, at: string): void =>
  store.transactUnsynced(
    () =>
      void store.run(query.updateTable('session').set({ last_used_at: at }).where('id', '=', id)),
  )

/**
 * Which sessions: those of a user, or of them only those limited to an organization or opened with
 * a token.
 */
export type SessionFilter = {
  userId: string
  organizationId?: string | undefined
  tokenId?: string | undefined
}

/** When a session counts as valid: at a time, used or created after another one. */
export type SessionTimes = { at: string; idleSince: string }

/** A session with the name of its token. */
export type ListedSession = SessionRow & { token_name: string }

const within = ({ userId, organizationId, tokenId }: SessionFilter) => sql`
  session.user_id = ${userId}
  ${organizationId === undefined ? sql`` : sql`and session.organization_id = ${organizationId}`}
  ${tokenId === undefined ? sql`` : sql`and session.token_id = ${tokenId}`}`

/** Returns up to `limit` valid sessions below `before` (a `seq`), newest first. */
export function listSessions(
  store: Store,
  filter: SessionFilter,
  { at, idleSince }: SessionTimes,
  limit: number,
  before?: number,
): ListedSession[] {
  const earlier = before === undefined ? sql`` : sql`and session.seq < ${before}`
  return store.all(
    sqlRows<ListedSession>(sql`
      select session.*, token.name as token_name from session join token on token.id = session.token_id
      where ${within(filter)} and session.revoked_at is null and token.revoked_at is null
        and session.expires_at > ${at} and coalesce(session.last_used_at, session.created_at) > ${idleSince} ${earlier}
      order by session.seq desc limit ${limit}`),
  )
}

/**
 * Revokes a session among those of a filter. Returns its row; undefined if there is no such session
 * that is not revoked.
 */
export const revokeSession = (
  store: Store,
  filter: SessionFilter,
  id: string,
  at: string,
): SessionRow | undefined =>
  store.get(
    sqlRows<SessionRow>(sql`
      update session set revoked_at = ${at}
      where ${within(filter)} and id = ${id} and revoked_at is null returning *`),
  )
