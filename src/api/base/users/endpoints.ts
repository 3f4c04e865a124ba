import { z } from 'zod'
import { self } from '../../../access/guards/self.ts'
import { sharingOrganization } from '../../../access/guards/user.ts'
import { changeUser } from '../../../actions/people/change-user.ts'
import { Fault } from '../../../errors.ts'
import { endpoint, inTransaction } from '../../../http/endpoint.ts'
import { presentUser } from './present.ts'
import { User, UserPatch, UserPath } from './schema.ts'

export const getAuthenticatedUser = endpoint({
  operationId: 'getAuthenticatedUser',
  summary: 'Get the authenticated user',
  description:
    'Returns the user who owns the token of the request, for example to check that a token works.',
  params: z.object({}),
  reply: User,
  access: self,
  handle: ({ ctx, user }) => presentUser(user, ctx.publicUrl()),
})

export const getUserById = endpoint({
  operationId: 'getUserById',
  summary: 'Get a user',
  description:
    'Returns your own profile, or the profile of a user who belongs to one of your organizations. Other users are a 404.',
  params: UserPath,
  reply: User,
  access: sharingOrganization,
  handle: ({ ctx, shown }) => presentUser(shown, ctx.publicUrl()),
})

export const updateUserById = endpoint({
  operationId: 'updateUserById',
  summary: 'Update your name or photo',
  description: 'Changes the name or the photo. You can only update your own profile.',
  params: UserPath,
  body: UserPatch,
  reply: User,
  access: sharingOrganization,
  handle: ({ ctx, user, shown, body, by }) => {
    if (shown.id !== user.id)
      throw new Fault('author_required', 'Users can only update themselves.')

    return inTransaction(() => {
      const row = changeUser(
        ctx,
        user,
        {
          ...(body.displayName !== undefined && { display_name: body.displayName }),
          ...(body.photoURL !== undefined && { photo_url: body.photoURL }),
        },
        by,
      )
      return presentUser(row, ctx.publicUrl())
    })
  },
})
