import { z } from 'zod'
import type { RequestFacts } from '../../access/asker.ts'
import { organization } from '../../access/guards/organization.ts'
import { self, tokenOf } from '../../access/guards/self.ts'
import { isLimited } from '../../access/reach.ts'
import { recordEvent, recordUserEvent } from '../../actions/events/record-event.ts'
import { createToken } from '../../actions/people/create-token.ts'
import type { Context } from '../../context.ts'
import { Fault } from '../../errors.ts'
import { Answer, endpoint, inTransaction, nothing } from '../../http/endpoint.ts'
import { envelope, PageQuery, pageOf } from '../../http/list.ts'
import {
  findReachingToken,
  listReachingTokens,
  type ReachingToken,
  refuseToken,
} from '../../store/people/organization-tokens.ts'
import {
  countLiveTokens,
  descendsFrom,
  listTokens,
  revokeToken,
} from '../../store/people/tokens.ts'
import type { TokenRow } from '../../store/tables/rows.ts'
import { OrganizationPath } from '../organizations/schema.ts'
import { inherit } from './inherit.ts'
import { presentReachingToken, presentToken } from './present.ts'
import {
  NewToken,
  OrganizationTokenPath,
  OrganizationTokens,
  RevokeQuery,
  TokenBody,
  TokenPath,
  Tokens,
} from './schema.ts'

/**
 * Returns the filter for the tokens that a request may list and revoke: a limited token sees only
 * itself and its descendants.
 */
const withinReach = ({ reach }: Context, userId: string) => ({
  userId,
  under: isLimited(reach) ? reach?.tokenId : undefined,
})

export const listUserTokens = endpoint({
  operationId: 'listUserTokens',
  summary: 'List your tokens',
  description:
    'Newest first, without their secrets and without revoked tokens. A token that is limited to an organization or a space lists itself and its descendants.',
  params: z.object({}),
  query: PageQuery,
  reply: Tokens,
  access: self,
  handle: async ({ ctx, user, query }) => {
    const which = withinReach(ctx, user.id)
    const page = await pageOf(
      ctx,
      `tokens ${user.id} ${which.under ?? ''}`,
      query,
      (limit, after: [number] | undefined) => listTokens(ctx.store, which, limit, after?.[0]),
      (row): [number] => [row.seq],
    )

    return envelope(
      page,
      page.rows.map(row => presentToken(ctx.tokenUses.latest(row), ctx.publicUrl())),
    )
  },
})

export const createUserToken = endpoint({
  operationId: 'createUserToken',
  summary: 'Create a token for yourself',
  description:
    'The new token has at most the scopes, reach and lifetime of the token of this request; omitted properties are inherited. It is revoked together with that token. The secret is only in this answer and is not stored, so this operation accepts no Idempotency-Key.',
  params: z.object({}),
  body: TokenBody,
  reply: NewToken,
  status: 201,
  access: self,
  unstored: 'the secret of a token is not stored.',
  handle: ({ ctx, actor, user, body, request }) => {
    return inTransaction(() => {
      checkTokenCount(ctx, user.id)
      const inherited = inherit(ctx, tokenOf(actor), body)
      const { row, secret } = createToken(
        ctx.store,
        { userId: user.id, name: body.name, ...inherited },
        ctx.now(),
      )

      recordUserEvent(ctx.store, user.id, {
        action: 'token.created',
        userId: user.id,
        origin: request.origin,
        target: { kind: 'token', id: row.id },
        details: detailsOf(row),
        at: row.created_at,
      })
      const shown = presentToken(row, ctx.publicUrl())

      return new Answer({ ...shown, token: secret }, { headers: { Location: shown.urls.location } })
    })
  },
})

/** Throws 'too_many' for a user at the limit of tokens. */
function checkTokenCount(ctx: Context, userId: string): void {
  const most = ctx.config.maxTokens
  if (countLiveTokens(ctx.store, userId, ctx.now().toISOString()) < most) return
  throw new Fault(
    'too_many',
    `You have ${most} tokens, which is the limit. Revoke tokens that you no longer use.`,
    undefined,
    { reason: 'tokens', retryAfter: 3600 },
  )
}

/** Returns the details of a new token for the audit log. */
const detailsOf = (row: TokenRow) => ({
  user: row.user_id,
  scopes: JSON.parse(row.scopes) as string[],
  ...(row.organization_id !== null && { organization: row.organization_id }),
  ...(row.space_id !== null && { space: row.space_id }),
  ...(row.parent_id !== null && { parent: row.parent_id }),
  ...(row.expires_at !== null && { expiresAt: row.expires_at }),
})

export const deleteUserToken = endpoint({
  operationId: 'deleteUserToken',
  summary: 'Revoke a token of yours',
  description:
    'It stops working immediately, with all tokens that were created with it, even if it is the token of this request. The answer is the same when there is no such token.',
  params: TokenPath,
  reply: nothing,
  access: self,
  handle: ({ ctx, user, params, request }) =>
    inTransaction(() => {
      const { under } = withinReach(ctx, user.id)
      if (under === undefined || descendsFrom(ctx.store, params.tokenId, under))
        revoke(ctx, user.id, params.tokenId, request)
      return undefined
    }),
})

export const deleteUserTokens = endpoint({
  operationId: 'deleteUserTokens',
  summary: 'Revoke all of your tokens',
  description:
    'They stop working immediately, including the token of this request unless `except=current` is given. A token that is limited to an organization or a space revokes itself and its descendants.',
  params: z.object({}),
  query: RevokeQuery,
  reply: nothing,
  access: self,
  handle: ({ ctx, actor, user, query, request }) =>
    inTransaction(() => {
      const current = tokenOf(actor).id
      const spared = (id: string) =>
        query.except === 'current' && descendsFrom(ctx.store, current, id)
      for (const { id } of listTokens(ctx.store, withinReach(ctx, user.id), -1))
        if (!spared(id)) revoke(ctx, user.id, id, request)
      return undefined
    }),
})

/** Revokes a token of a user with its descendants, and records it. */
function revoke(ctx: Context, userId: string, tokenId: string, { origin }: RequestFacts): void {
  const at = ctx.now().toISOString()
  for (const id of revokeToken(ctx.store, tokenId, at, userId))
    recordUserEvent(ctx.store, userId, {
      action: 'token.revoked',
      userId,
      origin,
      target: { kind: 'token', id },
      details: { user: userId },
      at,
    })
}

export const listOrganizationTokens = endpoint({
  operationId: 'listOrganizationTokens',
  summary: 'List the tokens that reach an organization',
  description:
    'For its admins, newest first, without secrets: the valid tokens of members and guests that are not limited to another organization or space.',
  params: OrganizationPath,
  query: PageQuery,
  reply: OrganizationTokens,
  access: organization('admin'),
  handle: async ({ ctx, organization: { id }, query }) => {
    const at = ctx.now().toISOString()
    const page = await pageOf(
      ctx,
      `tokens of ${id}`,
      query,
      (limit, after: [number] | undefined) =>
        listReachingTokens(ctx.store, id, { at, limit, before: after?.[0] }),
      (row): [number] => [row.seq],
    )

    return envelope(
      page,
      page.rows.map(row => presentReachingToken(ctx, id, ctx.tokenUses.latest(row))),
    )
  },
})

export const deleteOrganizationToken = endpoint({
  operationId: 'deleteOrganizationToken',
  summary: 'Revoke or refuse a token that reaches an organization',
  description:
    'For its admins. A token that is limited to the organization or one of its spaces is revoked. Any other token keeps working elsewhere, and is refused in this organization. The same applies to the tokens created with it. The answer is the same when there is no such token.',
  params: OrganizationTokenPath,
  reply: nothing,
  access: organization('admin'),
  handle: ({ ctx, params, request }) =>
    inTransaction(({ organization: { id }, user }) => {
      const at = ctx.now().toISOString()
      const row = findReachingToken(ctx.store, id, params.tokenId, at)
      if (!row) return undefined

      const known = { userId: user.id, origin: request.origin, details: { user: row.user_id }, at }

      if (isOnlyFor(row)) {
        for (const token of revokeToken(ctx.store, row.id, at))
          recordUserEvent(ctx.store, row.user_id, {
            action: 'token.revoked',
            target: { kind: 'token', id: token },
            ...known,
          })
      } else if (refuseToken(ctx.store, id, row.id, { by: user.id, at }) > 0)
        recordEvent(ctx.store, {
          action: 'token.refused',
          organizationId: id,
          target: { kind: 'token', id: row.id },
          ...known,
        })

      return undefined
    }),
})

/** Returns whether a token reaches only the organization. */
const isOnlyFor = ({ organization_id, space_id }: ReachingToken): boolean =>
  organization_id !== null || space_id !== null
