import { z } from 'zod'
import { self } from '../../access/guards/self.ts'
import { fellow } from '../../access/guards/user.ts'
import { isLimited } from '../../access/reach.ts'
import { changedFields } from '../../actions/events/changed-fields.ts'
import { recordUserEvent } from '../../actions/events/record-event.ts'
import { forbidden } from '../../errors.ts'
import { atOnce, endpoint } from '../../http/endpoint.ts'
import { updateUser } from '../../store/people/users.ts'
import type { UserRow } from '../../store/tables/rows.ts'
import { presentUser } from './present.ts'
import { User, UserPatch, UserPath } from './schema.ts'

export const getAuthenticatedUser = endpoint({
  operationId: 'getAuthenticatedUser',
  summary: 'Get the user whose token this is',
  params: z.object({}),
  reply: User,
  access: self,
  handle: ({ ctx, user }) => presentUser(user, ctx.publicUrl()),
})

export const getUserById = endpoint({
  operationId: 'getUserById',
  summary: 'Get a user',
  description: 'Yourself, or somebody who shares an organization with you.',
  params: UserPath,
  reply: User,
  access: fellow,
  handle: ({ ctx, shown }) => presentUser(shown, ctx.publicUrl()),
})

export const updateUserById = endpoint({
  operationId: 'updateUserById',
  summary: 'Change your name or photo',
  description: 'Everybody changes themselves alone.',
  params: UserPath,
  body: UserPatch,
  reply: User,
  access: fellow,
  handle: ({ ctx, user, shown, body, request }) => {
    if (shown.id !== user.id) throw forbidden('Only the user themselves may change this.')
    if (isLimited(ctx.reach))
      throw forbidden('This token is limited to an organization or a space, and cannot change its user.')
    return atOnce(() => {
      const row = updateUser(ctx.store, user.id, {
        ...(body.displayName !== undefined && { display_name: body.displayName }),
        ...(body.photoURL !== undefined && { photo_url: body.photoURL }),
      }) as UserRow
      const details = changedFields(user, row)
      if (details)
        recordUserEvent(ctx.store, user.id, {
          action: 'user.updated',
          userId: user.id,
          origin: request.origin,
          target: { kind: 'user', id: user.id },
          details,
          at: ctx.now().toISOString(),
        })
      return presentUser(row, ctx.publicUrl())
    })
  },
})
