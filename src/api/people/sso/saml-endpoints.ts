import { organization } from '../../../access/guards/organization.ts'
import { created, endpoint, nothing } from '../../../http/endpoint.ts'
import { listing } from '../../../http/list.ts'
import { listProviders } from '../../../store/sso/providers.ts'
import { OrganizationPath } from '../../base/organizations/schema.ts'
import { presentSamlProvider } from './load.ts'
import {
  addProvider,
  changeProvider,
  mostProviders,
  removeProvider,
  requireProvider,
} from './provider-writes.ts'
import { samlColumns } from './saml-settings.ts'
import { SamlProvider, SamlProviderBody, SamlProviderPatch, SamlProviderPath } from './schema.ts'

export const listSAMLProvidersInOrganizationById = listing({
  operationId: 'listSAMLProvidersInOrganizationById',
  summary: 'List the SAML providers of an organization',
  description: 'Returns the SAML providers oldest first. Requires an admin of the organization.',
  params: OrganizationPath,
  item: SamlProvider,
  access: organization('admin'),
  list: ({ ctx, organization: { id }, member }) => ({
    name: `saml ${id}`,
    rows: (limit, after) => listProviders(ctx.store, id, 'saml', limit, after),
    show: rows => rows.map(row => presentSamlProvider(ctx, row, member)),
  }),
})

export const createOrganizationSAMLProvider = endpoint({
  operationId: 'createOrganizationSAMLProvider',
  summary: 'Create a SAML provider',
  description: `Creates a SAML provider; an organization can have ${mostProviders} identity providers. Members can sign in as soon as \`ssoURL\`, \`entityID\` and \`certificate\` are set. Enter the addresses in \`service\` of the answer at the identity provider. Requires an admin of the organization.`,
  params: OrganizationPath,
  body: SamlProviderBody,
  reply: SamlProvider,
  status: 201,
  access: organization('admin'),
  write: ({ ctx, organization: { id }, member, body, by }) => {
    const row = addProvider(ctx, by, id, 'saml', body, samlColumns(ctx, body))
    return created(presentSamlProvider(ctx, row, member))
  },
})

export const getOrganizationSAMLProviderById = endpoint({
  operationId: 'getOrganizationSAMLProviderById',
  summary: 'Get a SAML provider',
  description:
    'Returns the settings of the provider, and in `service` what to enter at the provider. Requires an admin of the organization.',
  params: SamlProviderPath,
  reply: SamlProvider,
  access: organization('admin'),
  handle: ({ ctx, organization: { id }, member, params }) =>
    presentSamlProvider(ctx, requireProvider(ctx, id, 'saml', params.samlProviderId), member),
})

export const updateOrganizationSAMLProvider = endpoint({
  operationId: 'updateOrganizationSAMLProvider',
  summary: 'Update a SAML provider',
  description:
    'Properties that are left out stay unchanged. If `ssoURL`, `entityID` or `certificate` is emptied, the provider becomes pending, and the tokens of sign-ins through it are revoked. The last active provider must stay active while the organization requires single sign-on. Requires an admin of the organization.',
  params: SamlProviderPath,
  body: SamlProviderPatch,
  reply: SamlProvider,
  access: organization('admin'),
  write: ({ ctx, organization: { id }, member, params, body, by }) => {
    const before = requireProvider(ctx, id, 'saml', params.samlProviderId)
    if (Object.keys(body).length === 0) return presentSamlProvider(ctx, before, member)
    const row = changeProvider(ctx, by, before, body, samlColumns(ctx, body, before))
    return presentSamlProvider(ctx, row, member)
  },
})

export const deleteOrganizationSAMLProvider = endpoint({
  operationId: 'deleteOrganizationSAMLProvider',
  summary: 'Delete a SAML provider',
  description:
    'Deletes the provider and revokes the tokens of sign-ins through it, with the tokens created with them. The members stay. The last active provider cannot be deleted while the organization requires single sign-on. Requires an admin of the organization. The operation also succeeds when the provider does not exist.',
  params: SamlProviderPath,
  reply: nothing,
  access: organization('admin'),
  write: ({ ctx, organization: { id }, params, by }) =>
    removeProvider(ctx, by, id, 'saml', params.samlProviderId),
})
