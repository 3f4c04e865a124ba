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
  description: 'For its admins, oldest first.',
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
  description: `For admins of the organization; at most ${mostProviders} identity providers per organization. Members can sign in once \`ssoURL\`, \`entityID\` and \`certificate\` are set. Enter the addresses of \`service\` at the identity provider.`,
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
  description: 'For admins of the organization.',
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
    'For admins of the organization. Omitted properties stay unchanged. A provider that loses its address, entity ID or certificate becomes pending, and the tokens that came through it are revoked. The last active provider must stay active while the organization requires single sign-on.',
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
    'For admins of the organization. The tokens that came through it are revoked, also those created with them. Its members stay. The last active provider cannot be deleted while the organization requires single sign-on. The answer is the same when there is no such provider.',
  params: SamlProviderPath,
  reply: nothing,
  access: organization('admin'),
  write: ({ ctx, organization: { id }, params, by }) =>
    removeProvider(ctx, by, id, 'saml', params.samlProviderId),
})
