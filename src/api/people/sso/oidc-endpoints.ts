import { organization } from '../../../access/guards/organization.ts'
import { invalid } from '../../../errors.ts'
import { created, endpoint, inTransaction, nothing } from '../../../http/endpoint.ts'
import { listing } from '../../../http/list.ts'
import { listProviders } from '../../../store/sso/providers.ts'
import type { SsoProviderRow } from '../../../store/tables/rows.ts'
import { OrganizationPath } from '../../base/organizations/schema.ts'
import { presentOidcProvider } from './load.ts'
import { checkIssuer, oidcColumns } from './oidc-settings.ts'
import {
  addProvider,
  changeProvider,
  mostProviders,
  removeProvider,
  requireProvider,
} from './provider-writes.ts'
import { OidcProvider, OidcProviderBody, OidcProviderPatch, OidcProviderPath } from './schema.ts'

export const listOidcProviders = listing({
  operationId: 'listOIDCProvidersInOrganization',
  summary: 'List the OpenID Connect providers of an organization',
  description:
    'Returns the OpenID Connect providers oldest first. Requires an admin of the organization.',
  params: OrganizationPath,
  item: OidcProvider,
  access: organization('admin'),
  list: ({ ctx, organization: { id }, member }) => ({
    name: `oidc ${id}`,
    rows: (limit, after) => listProviders(ctx.store, id, 'oidc', limit, after),
    show: rows => rows.map(row => presentOidcProvider(ctx, row, member)),
  }),
})

export const createOidcProvider = endpoint({
  operationId: 'createOIDCProvider',
  summary: 'Create an OpenID Connect provider',
  description: `Creates an OpenID Connect provider; an organization can have ${mostProviders} identity providers. First register a client at the provider; afterwards enter \`service.redirectURL\` of the answer there. The server reads \`/.well-known/openid-configuration\` below the issuer. The client secret is stored encrypted, so the operation accepts no Idempotency-Key. Requires an admin of the organization.`,
  params: OrganizationPath,
  body: OidcProviderBody,
  reply: OidcProvider,
  status: 201,
  access: organization('admin'),
  unstored: 'requests with secrets are not stored.',
  handle: async ({ ctx, organization: { id }, body, by }) => {
    await checkIssuer(ctx, id, body.issuer)
    return inTransaction(({ member }) => {
      const row = addProvider(ctx, by, id, 'oidc', body, oidcColumns(ctx, body))
      return created(presentOidcProvider(ctx, row, member))
    })
  },
})

export const getOidcProvider = endpoint({
  operationId: 'getOIDCProviderById',
  summary: 'Get an OpenID Connect provider',
  description:
    'Returns the settings of the provider without the client secret, and in `service` what to enter at the provider. Requires an admin of the organization.',
  params: OidcProviderPath,
  reply: OidcProvider,
  access: organization('admin'),
  handle: ({ ctx, organization: { id }, member, params }) =>
    presentOidcProvider(ctx, requireProvider(ctx, id, 'oidc', params.oidcProviderId), member),
})

export const updateOidcProvider = endpoint({
  operationId: 'updateOIDCProviderById',
  summary: 'Update an OpenID Connect provider',
  description:
    'Properties that are left out stay unchanged. A change of `issuer` needs a new `clientSecret`. Requires an admin of the organization.',
  params: OidcProviderPath,
  body: OidcProviderPatch,
  reply: OidcProvider,
  access: organization('admin'),
  handle: async ({ ctx, organization: { id }, params, body, by }) => {
    checkSecret(requireProvider(ctx, id, 'oidc', params.oidcProviderId), body)
    if (body.issuer !== undefined) await checkIssuer(ctx, id, body.issuer)

    return inTransaction(({ member }) => {
      const before = requireProvider(ctx, id, 'oidc', params.oidcProviderId)
      if (Object.keys(body).length === 0) return presentOidcProvider(ctx, before, member)
      checkSecret(before, body)
      const row = changeProvider(ctx, by, before, body, oidcColumns(ctx, body, before))
      return presentOidcProvider(ctx, row, member)
    })
  },
})

/** Throws 'invalid' for another issuer without the secret of its client. */
function checkSecret(
  { issuer }: Pick<SsoProviderRow, 'issuer'>,
  body: { issuer?: string | undefined; clientSecret?: string | undefined },
): void {
  if (body.issuer !== undefined && body.issuer !== issuer && body.clientSecret === undefined)
    throw invalid(
      '"issuer" in the body: send "clientSecret" too, since the stored one belongs to the former issuer.',
    )
}

export const deleteOidcProvider = endpoint({
  operationId: 'deleteOIDCProviderById',
  summary: 'Delete an OpenID Connect provider',
  description:
    'Deletes the provider and revokes the tokens of sign-ins through it, with the tokens created with them. The members stay. The last active provider cannot be deleted while the organization requires single sign-on. Requires an admin of the organization. The operation also succeeds when the provider does not exist.',
  params: OidcProviderPath,
  reply: nothing,
  access: organization('admin'),
  write: ({ ctx, organization: { id }, params, by }) =>
    removeProvider(ctx, by, id, 'oidc', params.oidcProviderId),
})
