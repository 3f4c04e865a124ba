import { z } from 'zod'
import { organization } from '../../../access/guards/organization.ts'
import { self, tokenOf } from '../../../access/guards/self.ts'
import { recordOn } from '../../../actions/events/record-event.ts'
import { issueToken } from '../../../actions/people/issue-token.ts'
import {
  revokeOwnToken,
  revokeRecorded,
  tokensWithin,
} from '../../../actions/people/revoke-token.ts'
import { TokenBody } from '../../../actions/people/token-body.ts'
import { created, endpoint, nothing } from '../../../http/endpoint.ts'
import { listing } from '../../../http/list.ts'
import { noLimit } from '../../../store/dialect.ts'
import {
  findReachingToken,
  listReachingTokens,
  type ReachingToken,
  refuseToken,
} from '../../../store/people/organization-tokens.ts'
import { descendsFrom, listTokens } from '../../../store/people/tokens.ts'
import { OrganizationPath } from '../../base/organizations/schema.ts'
import { presentReachingToken, presentToken } from './present.ts'
import {
  NewToken,
  OrganizationToken,
  OrganizationTokenPath,
  RevokeQuery,
  Token,
  TokenPath,
} from './schema.ts'

const record = recordOn('token')

export const listUserTokens = listing({
  operationId: 'listUserTokens',
  summary: 'List your tokens',
  description:
    'Returns your tokens, newest first, without their secrets. Revoked tokens are left out. With a token that is limited to an organization or a space, the list contains that token and its descendants only.',
  params: z.object({}),
  item: Token,
  access: self,
  list: ({ ctx, user }) => {
    const which = tokensWithin(ctx.reach, user.id)
    return {
      name: `tokens ${user.id} ${which.under ?? ''}`,
      rows: (limit, after) => listTokens(ctx.store, which, limit, after),
      show: rows => rows.map(row => presentToken(ctx.tokenUses.latest(row), ctx.publicUrl())),
    }
  },
})

export const createUserToken = endpoint({
  operationId: 'createUserToken',
  summary: 'Create a token for yourself',
  description:
    'Returns a new token with its secret. The new token has at most the scopes, the reach and the lifetime of the token of this request; properties that are left out are inherited from it. Revoking the token of this request also revokes the new one. The secret is only in this answer, so the operation accepts no Idempotency-Key.',
  params: z.object({}),
  body: TokenBody,
  reply: NewToken,
  status: 201,
  access: self,
  unstored: 'the secret of a token is not stored.',
  write: ({ ctx, actor, user, body, by }) => {
    const { row, secret } = issueToken(ctx, user.id, body, by, tokenOf(actor))
    return created({ ...presentToken(row, ctx.publicUrl()), token: secret })
  },
})

export const deleteUserToken = endpoint({
  operationId: 'deleteUserToken',
  summary: 'Revoke a token of yours',
  description:
    'The token stops working immediately, together with all tokens that were created with it. You can revoke the token of this request. The operation also succeeds when you have no token with this id.',
  params: TokenPath,
  reply: nothing,
  access: self,
  write: ({ ctx, user, params, by }) => {
    revokeOwnToken(ctx, user.id, params.tokenId, by)
  },
})

export const deleteUserTokens = endpoint({
  operationId: 'deleteUserTokens',
  summary: 'Revoke all of your tokens',
  description:
    'The tokens stop working immediately, including the token of this request unless `except=current` is given. A token that is limited to an organization or a space revokes itself and its descendants only.',
  params: z.object({}),
  query: RevokeQuery,
  reply: nothing,
  access: self,
  write: ({ ctx, actor, user, query, by }) => {
    const current = tokenOf(actor).id
    const spared = (id: string) =>
      query.except === 'current' && descendsFrom(ctx.store, current, id)
    for (const { id } of listTokens(ctx.store, tokensWithin(ctx.reach, user.id), noLimit))
      if (!spared(id)) revokeRecorded(ctx, user.id, id, by)
  },
})

export const listOrganizationTokens = listing({
  operationId: 'listOrganizationTokens',
  summary: 'List the tokens that reach an organization',
  description:
    'Returns the valid tokens of members and guests that can be used in the organization, newest first, without secrets. Tokens that are limited to another organization or space are left out. Requires an admin of the organization.',
  params: OrganizationPath,
  item: OrganizationToken,
  access: organization('admin'),
  list: ({ ctx, organization: { id } }) => ({
    name: `tokens of ${id}`,
    rows: (limit, before) =>
      listReachingTokens(ctx.store, id, { at: ctx.now().toISOString(), limit, before }),
    show: rows => rows.map(row => presentReachingToken(ctx, id, ctx.tokenUses.latest(row))),
  }),
})

export const deleteOrganizationToken = endpoint({
  operationId: 'deleteOrganizationToken',
  summary: 'Revoke or refuse a token that reaches an organization',
  description:
    'A token that is limited to the organization, or to one of its spaces, is revoked. Any other token is refused in this organization from now on, and keeps working elsewhere. The same applies to tokens that were created with it. Requires an admin of the organization. The operation also succeeds when the token does not exist.',
  params: OrganizationTokenPath,
  reply: nothing,
  access: organization('admin'),
  write: ({ ctx, organization: { id }, params, by }) => {
    const at = ctx.now().toISOString()
    const row = findReachingToken(ctx.store, id, params.tokenId, at)
    if (!row) return

    if (isOnlyFor(row)) revokeRecorded(ctx, row.user_id, row.id, by)
    else if (refuseToken(ctx.store, id, row.id, { by: by.userId, at }) > 0)
      record(ctx, { id: row.id, organization_id: id }, 'token.refused', by, { user: row.user_id })
  },
})

/** Returns whether a token reaches only the organization. */
const isOnlyFor = ({ organization_id, space_id }: ReachingToken): boolean =>
  organization_id !== null || space_id !== null
