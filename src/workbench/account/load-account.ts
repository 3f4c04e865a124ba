import { covers } from '../../access/scopes.ts'
import type { SignedInUser } from '../../access/session.ts'
import { sessionsWithin, sessionTimes } from '../../access/session.ts'
import { tokensWithin } from '../../actions/people/revoke-token.ts'
import type { Context } from '../../context.ts'
import { noLimit } from '../../store/dialect.ts'
import { findOrganization } from '../../store/people/organizations.ts'
import { listTokens } from '../../store/people/tokens.ts'
import { type ListedSession, listSessions } from '../../store/sso/sessions.ts'
import type { SessionRow, TokenRow } from '../../store/tables/rows.ts'

/** The most tokens that are listed. */
export const mostTokens = 200

export type Account = {
  /** The tokens of the user, newest first, without those that browser sessions have for themselves. */
  tokens: TokenRow[]
  hasMoreTokens: boolean
  /** The browser sessions, the current one first. */
  sessions: ListedSession[]
  /** The title of the organization that the session is limited to. */
  organization: string | undefined
  /** Whether the token of the session may list tokens, change them, and change the user. */
  may: { list: boolean; change: boolean; rename: boolean }
}

type SignedIn = { ctx: Context; actor: SignedInUser['actor']; session: SessionRow }

/** Returns what the page of one's account shows, as far as the token of the session may see it. */
export function loadAccount({ ctx, actor: { user, token }, session }: SignedIn): Account {
  const may = {
    list: covers(token.scopes, 'tokens:read'),
    change: covers(token.scopes, 'tokens:admin'),
    rename: covers(token.scopes, 'user:write') && session.organization_id === null,
  }
  const sessions = sessionsFor({ ctx, actor: { type: 'user', user, token }, session }, may.list)
  const ofSessions = new Set(
    sessions.filter(each => each.own_token === 1).map(each => each.token_id),
  )
  const found = may.list
    ? listTokens(ctx.store, tokensWithin(ctx.reach, user.id), mostTokens + 1)
    : []
  const { organization_id: limit } = session

  return {
    tokens: found
      .slice(0, mostTokens)
      .filter(({ id }) => !ofSessions.has(id))
      .map(row => ctx.tokenUses.latest(row)),
    hasMoreTokens: found.length > mostTokens,
    sessions,
    organization: limit === null ? undefined : findOrganization(ctx.store, limit)?.title,
    may,
  }
}

/** Returns the sessions that a session may see, newest first, after itself. */
function sessionsFor({ ctx, actor, session }: SignedIn, seesOthers: boolean): ListedSession[] {
  const times = sessionTimes(ctx, ctx.now())
  const { user, token } = actor
  const isCurrent = ({ id }: SessionRow) => id === session.id
  const own = listSessions(ctx.store, { userId: user.id, tokenId: token.id }, times, noLimit)
  const current = own.filter(isCurrent)
  if (!seesOthers) return current
  const all = listSessions(ctx.store, sessionsWithin(ctx.reach, user.id), times, noLimit)
  return [...current, ...all.filter(each => !isCurrent(each))]
}
