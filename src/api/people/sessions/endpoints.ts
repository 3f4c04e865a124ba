import { z } from 'zod'
import { self } from '../../../access/guards/self.ts'
import { sessionsWithin, sessionTimes } from '../../../access/session.ts'
import { endSession } from '../../../actions/sso/sessions.ts'
import { endpoint, nothing } from '../../../http/endpoint.ts'
import { listing } from '../../../http/list.ts'
import { listSessions } from '../../../store/sso/sessions.ts'
import { presentSession } from './present.ts'
import { Session, SessionPath } from './schema.ts'

export const listUserSessions = listing({
  operationId: 'listUserSessions',
  summary: 'List your browser sessions',
  description:
    'Returns your valid browser sessions, newest first. With a token that is limited to an organization, the list contains sessions with the same limit; with a token that is limited to a space, sessions that were opened with that token.',
  params: z.object({}),
  item: Session,
  access: self,
  list: ({ ctx, user }) => {
    const filter = sessionsWithin(ctx.reach, user.id)
    const times = sessionTimes(ctx, ctx.now())
    return {
      name: `sessions ${user.id} ${filter.organizationId ?? ''} ${filter.tokenId ?? ''}`,
      rows: (limit, after) => listSessions(ctx.store, filter, times, limit, after),
      show: rows => rows.map(row => presentSession(row, ctx.publicUrl())),
    }
  },
})

export const deleteUserSession = endpoint({
  operationId: 'deleteUserSession',
  summary: 'End a browser session of yours',
  description:
    'Signs the browser out immediately. The operation also succeeds when you have no session with this id.',
  params: SessionPath,
  reply: nothing,
  access: self,
  write: ({ ctx, user, params, by }) => {
    const filter = sessionsWithin(ctx.reach, user.id)
    endSession(ctx, filter, params.sessionId, {
      why: 'revoked',
      ...by,
    })
  },
})
