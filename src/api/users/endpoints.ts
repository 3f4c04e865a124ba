import { z } from 'zod'
import { self } from '../../access/self.ts'
import { fellow } from '../../access/user.ts'
import { createToken } from '../../actions/create-token.ts'
import { nameChanges } from '../../actions/name-changes.ts'
import { recordUserEvent } from '../../actions/record-user-event.ts'
import { forbidden, invalid } from '../../errors.ts'
import { Answer, atOnce, endpoint, nothing } from '../../http/endpoint.ts'
import { envelope, PageQuery, pageOf } from '../../http/list.ts'
import type { UserRow } from '../../store/rows.ts'
import { listTokens, revokeToken } from '../../store/tokens.ts'
import { updateUser } from '../../store/users.ts'
import { presentToken, presentUser } from './present.ts'
import { NewToken, TokenBody, TokenPath, Tokens, User, UserPatch, UserPath } from './schema.ts'

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
    return atOnce(() => {
      const row = updateUser(ctx.store, user.id, {
        ...(body.displayName !== undefined && { display_name: body.displayName }),
        ...(body.photoURL !== undefined && { photo_url: body.photoURL }),
      }) as UserRow
      const details = nameChanges(user, row)
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

export const listUserTokens = endpoint({
  operationId: 'listUserTokens',
  summary: 'List your tokens',
  description: 'Newest first, without their secrets. Revoked ones are not listed.',
  params: z.object({}),
  query: PageQuery,
  reply: Tokens,
  access: self,
  handle: async ({ ctx, user, query }) => {
    const page = await pageOf(
      ctx,
      `tokens ${user.id}`,
      query,
      (limit, after: [number] | undefined) => listTokens(ctx.store, user.id, limit, after?.[0]),
      (row): [number] => [row.seq],
    )
    return envelope(
      page,
      page.rows.map(row => presentToken(row, ctx.publicUrl())),
    )
  },
})

export const createUserToken = endpoint({
  operationId: 'createUserToken',
  summary: 'Make a token for yourself',
  description:
    'The secret is in this answer alone. Because it is kept nowhere, this operation takes no Idempotency-Key.',
  params: z.object({}),
  body: TokenBody,
  reply: NewToken,
  status: 201,
  access: self,
  handle: ({ ctx, user, body, request }) => {
    if (request.idempotency) {
      throw invalid(
        'Leave out the header "Idempotency-Key": the secret of a token is not kept to be repeated.',
      )
    }
    const at = ctx.now()
    const expiresAt = body.expiresAt === undefined ? null : new Date(body.expiresAt)
    if (expiresAt && expiresAt <= at) throw invalid('"expiresAt" in the body: takes a time to come.')
    return atOnce(() => {
      const { row, secret } = createToken(
        ctx.store,
        { userId: user.id, name: body.name, expiresAt: expiresAt?.toISOString() ?? null },
        at,
      )
      recordUserEvent(ctx.store, user.id, {
        action: 'token.created',
        userId: user.id,
        origin: request.origin,
        target: { kind: 'token', id: row.id },
        details: { user: user.id, ...(row.expires_at && { expiresAt: row.expires_at }) },
        at: row.created_at,
      })
      const shown = presentToken(row, ctx.publicUrl())
      return new Answer({ ...shown, token: secret }, { headers: { Location: shown.urls.location } })
    })
  },
})

export const deleteUserToken = endpoint({
  operationId: 'deleteUserToken',
  summary: 'Revoke a token of yours',
  description: 'It stops working at once, also when it is the one this request was made with.',
  params: TokenPath,
  reply: nothing,
  access: self,
  handle: ({ ctx, user, params, request }) =>
    atOnce(() => {
      const at = ctx.now().toISOString()
      if (revokeToken(ctx.store, params.tokenId, at, user.id))
        recordUserEvent(ctx.store, user.id, {
          action: 'token.revoked',
          userId: user.id,
          origin: request.origin,
          target: { kind: 'token', id: params.tokenId },
          details: { user: user.id },
          at,
        })
      return undefined
    }),
})
