import { z } from 'zod'
import { anyone } from '../../../access/guards/self.ts'
import { startUrlOf } from '../../../access/sign-in.ts'
import { endReused, exchangeCode } from '../../../actions/sso/codes.ts'
import { createdAt, endpoint } from '../../../http/endpoint.ts'
import { countList, countStep } from '../../../http/limits/sign-ins.ts'
import {
  findOrganization,
  findOrganizationByHostname,
} from '../../../store/people/organizations.ts'
import { listActiveProviders } from '../../../store/sso/providers.ts'
import type { OrganizationRow } from '../../../store/tables/rows.ts'
import { OrganizationPath } from '../../base/organizations/schema.ts'
import { CodeBody, Logins, SignInToken } from './schema.ts'

export const listSSOProviderLoginsInOrganization = endpoint({
  operationId: 'listSSOProviderLoginsInOrganization',
  summary: 'List the identity providers to sign in with',
  description:
    'Returns the active identity providers of an organization, for a sign-in page. No token is needed. The organization is an id or a hostname; for an unknown organization the list is empty.',
  params: OrganizationPath,
  reply: Logins,
  access: anyone,
  handle: ({ ctx, actor, params: { organizationId: name }, request }) => {
    if (actor.type === 'anonymous') countList(ctx, request.origin.address)
    const row = findOrganization(ctx.store, name) ?? findOrganizationByHostname(ctx.store, name)
    const providers = row ? listActiveProviders(ctx.store, row.id) : []

    return {
      items: providers.map(each => ({
        id: each.id,
        label: each.label,
        startURL: startUrlOf(ctx, each),
      })),
    }
  },
})

export const exchangeSignInCode = endpoint({
  operationId: 'exchangeSignInCode',
  summary: 'Exchange the code of a sign-in for a token',
  description:
    'Returns a token for the code that a sign-in has sent to your redirect address. A code works once, within one minute (five minutes if a page showed it). `code_verifier` is the text whose SHA-256 was sent as `code_challenge` at the start of the sign-in. The token can be used in the organization of the identity provider only. It expires with the session at the provider, at the latest after `STEMMA_SSO_TOKEN_HOURS`. If a code is used twice, its token is revoked.',
  params: z.object({}),
  body: CodeBody,
  reply: SignInToken,
  status: 201,
  access: anyone,
  unstored: 'the token is not stored in answers.',
  handle: ({ ctx, body, request }) => {
    countStep(ctx, request.origin.address)
    const asked = { code: body.code, verifier: body.code_verifier }
    endReused(ctx, body.code)

    try {
      return ctx.store.transact(() => {
        const { row, secret, user, provider } = exchangeCode(ctx, asked, request.origin)
        const of = findOrganization(ctx.store, provider.organization_id) as OrganizationRow

        return createdAt(`${ctx.publicUrl()}/v1/user/tokens/${row.id}`, {
          token: secret,
          expiresAt: row.expires_at as string,
          user: { id: user.id, displayName: user.display_name },
          organization: { id: of.id, title: of.title },
        })
      })
    } catch (error) {
      // The first use may have been at the same time.
      endReused(ctx, body.code)
      throw error
    }
  },
})
