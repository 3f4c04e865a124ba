import { z } from 'zod'
import { self } from '../../access/guards/self.ts'
import { sessionsWithin, sessionTimes } from '../../access/session.ts'
import { changeUser } from '../../actions/people/change-user.ts'
import { issueToken } from '../../actions/people/issue-token.ts'
import { revokeOwnToken } from '../../actions/people/revoke-token.ts'
import { endSession } from '../../actions/sso/sessions.ts'
import { inTransaction } from '../../http/endpoint.ts'
import { PersonName } from '../../lib/line-of-text.ts'
import { noLimit } from '../../store/dialect.ts'
import { listSessions } from '../../store/sso/sessions.ts'
import type { SessionRow, TokenRow } from '../../store/tables/rows.ts'
import { form } from '../frame/page.ts'
import { TokenFields, tokenBodyOf } from './token-fields.ts'

const shownOn = () => '/account'

export const changeName = form({
  path: '/account/name',
  scope: 'user:write',
  access: self,
  body: z.object({ displayName: PersonName }),
  shownOn,
  act: ({ ctx, by, body }) =>
    inTransaction(({ user }) => {
      changeUser(ctx, user, { display_name: body.displayName }, by)
      return { to: '/account', notice: 'Your name was changed.' }
    }),
})

/**
 * Returns the token that limits the tokens made in a session, and ends them with itself; undefined
 * for the token that the session has for itself, because they would end with the session.
 */
export const parentIn = (session: SessionRow, token: TokenRow): TokenRow | undefined =>
  session.own_token === 1 && session.provider_id === null ? undefined : token

export const createAccountToken = form({
  path: '/account/tokens',
  scope: 'tokens:admin',
  access: self,
  body: TokenFields,
  shownOn,
  act: ({ ctx, actor, session, by, body }) =>
    inTransaction(({ user }) => {
      const asked = tokenBodyOf(body, ctx.now())
      const made = issueToken(ctx, user.id, asked, by, parentIn(session, actor.token))
      return { to: '/account', secret: { what: 'token', text: made.secret } }
    }),
})

export const deleteAccountToken = form({
  path: '/account/tokens/:tokenId/delete',
  scope: 'tokens:admin',
  access: self,
  body: z.object({}),
  shownOn,
  act: ({ ctx, by, params }) =>
    inTransaction(({ user }) => {
      revokeOwnToken(ctx, user.id, params.tokenId, by)
      return { to: '/account', notice: 'The token was deleted.' }
    }),
})

export const endAccountSessions = form({
  path: '/account/sessions',
  scope: 'tokens:admin',
  access: self,
  body: z.object({ end: z.string() }),
  shownOn,
  act: ({ ctx, session, by, body: { end } }) =>
    inTransaction(({ user }) => {
      const filter = sessionsWithin(ctx.reach, user.id)
      const times = sessionTimes(ctx, ctx.now())
      const ended = listSessions(ctx.store, filter, times, noLimit).filter(
        ({ id }) => id !== session.id && (end === 'others' || end === id),
      )
      for (const { id } of ended) endSession(ctx, filter, id, { why: 'revoked', ...by })
      const notice = ended.length === 1 ? 'The session was ended.' : 'The sessions were ended.'
      return { to: '/account', ...(ended.length > 0 && { notice }) }
    }),
})
