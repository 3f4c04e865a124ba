import { z } from 'zod'
import { self } from '../../access/self.ts'
import { endpoint } from '../../http/endpoint.ts'
import { presentUser } from './present.ts'
import { User } from './schema.ts'

export const getAuthenticatedUser = endpoint({
  operationId: 'getAuthenticatedUser',
  summary: 'Get the user whose token this is',
  params: z.object({}),
  reply: User,
  access: self,
  handle: ({ ctx, user }) => presentUser(user, ctx.publicUrl()),
})
