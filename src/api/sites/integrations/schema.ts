import { z } from 'zod'
import { PageQuery, QueryFlag, QuerySearch } from '../../../http/list.ts'
import {
  IntegrationCategory,
  IntegrationName,
  IntegrationScope,
  IntegrationTarget,
  IntegrationVisibility,
} from '../../../integrations/manifest.ts'
import { Organization } from '../../base/organizations/schema.ts'
import { Site } from '../schema.ts'

export const IntegrationPath = z.object({ integrationName: IntegrationName })
export const InstallationPath = IntegrationPath.extend({ installationId: z.string() })
export const SiteInstallationPath = InstallationPath.extend({ siteId: z.string() })

const Part = z.looseObject({ id: z.string(), title: z.string(), icon: z.string().optional() })

const Configuration = z.union([
  z.object({
    properties: z.record(z.string(), z.looseObject({ type: z.string() })),
    required: z.array(z.string()).optional(),
  }),
  z.object({ componentId: z.string() }),
])

export const Integration = z
  .object({
    object: z.literal('integration'),
    name: z.string(),
    version: z.int(),
    title: z.string(),
    description: z.string(),
    summary: z.string().optional(),
    previewImages: z.array(z.string()),
    target: IntegrationTarget,
    verified: z.boolean().meta({ description: 'Whether the operator of the server provides it.' }),
    visibility: IntegrationVisibility,
    scopes: z.array(IntegrationScope),
    categories: z.array(IntegrationCategory),
    blocks: z.array(Part).optional(),
    contentSources: z.array(Part).optional(),
    configurations: z
      .object({
        account: Configuration.optional(),
        space: Configuration.optional(),
        site: Configuration.optional(),
      })
      .optional(),
    externalLinks: z.array(z.object({ url: z.string(), label: z.string() })),
    owner: Organization,
    contentSecurityPolicy: z.string().optional(),
    urls: z.object({
      location: z.string(),
      app: z.string(),
      assets: z.string(),
      publicEndpoint: z.string(),
      publicContentEndpoint: z.string(),
      icon: z.string().optional(),
    }),
    permissions: z.object({ admin: z.boolean() }),
  })
  .meta({ id: 'Integration' })

const filters = {
  search: QuerySearch.optional().meta({
    description: 'A part of the name or the title, in any case.',
  }),
  category: IntegrationCategory.optional().meta({ description: 'A category of the integration.' }),
  blockDomain: z
    .string()
    .max(100)
    .regex(/^[\w.-]+$/, 'takes a domain, such as "example.org"')
    .optional()
    .meta({ description: 'A domain whose addresses a block of the integration shows.' }),
  blocks: QueryFlag.optional().meta({
    description: 'Only integrations with blocks, or only others.',
  }),
  contentSources: QueryFlag.optional().meta({
    description: 'Only integrations with content sources, or only others.',
  }),
  owner: z
    .string()
    .max(200)
    .optional()
    .meta({ description: 'The id of the organization that owns it.' }),
  scope: IntegrationScope.optional().meta({
    description: 'A scope that the integration asks for.',
  }),
  target: IntegrationTarget.optional().meta({ description: 'What it can be installed on.' }),
}

export const IntegrationsQuery = PageQuery.extend(filters)
export const SearchQuery = PageQuery.extend({ search: filters.search })

const Status = z.enum(['active', 'pending']).meta({
  description: '"pending" while the configuration lacks a required property.',
})
const Selection = z.enum(['all', 'selected'])
const Values = z.record(z.string(), z.unknown())
const ExternalIds = z.array(z.string().max(200)).max(5)

export const Installation = z
  .object({
    id: z.string(),
    integration: z.string(),
    status: Status,
    scopes: z.array(IntegrationScope).meta({
      description: 'The scopes that were accepted, of those that the current version still has.',
    }),
    space_selection: Selection,
    site_selection: Selection,
    spaces: z.int().meta({ description: 'The number of spaces that it may access.' }),
    selectedSpaces: z
      .array(z.string())
      .optional()
      .meta({ description: 'The ids of the spaces, when they are selected.' }),
    configuration: Values,
    externalIds: z.array(z.string()),
    target: z.object({ organization: z.string() }),
    createdAt: z.string(),
    updatedAt: z.string(),
    urls: z.object({
      location: z.string(),
      app: z.string(),
      publicEndpoint: z.string(),
      publicContentEndpoint: z.string(),
    }),
  })
  .meta({ id: 'IntegrationInstallation' })

export const InstallBody = z.strictObject({
  organization: z.string().max(200).meta({ description: 'The id of the organization.' }),
})

const configured = {
  configuration: Values.optional().meta({
    description:
      'Replaces the configuration. Texts whose name contains "secret", "token", "key" or "password" are stored encrypted and read as ""; sent as "", they keep their value.',
  }),
  externalIds: ExternalIds.optional(),
}

export const InstallationPatch = z.strictObject({
  ...configured,
  space_selection: Selection.optional(),
  site_selection: Selection.optional().meta({
    description: 'With "selected", it may access the sites that it is installed on.',
  }),
  selectedSpaces: z.array(z.string().max(200)).max(1000).optional().meta({
    description: 'The ids of the spaces that it may access with `space_selection: "selected"`.',
  }),
})

export const InstallationToken = z
  .object({ token: z.string().meta({ description: 'The token, which is shown only once.' }) })
  .meta({ id: 'APITemporaryToken' })

export const SiteInstallation = z
  .object({
    integration: z.string(),
    installation: z.string(),
    site: z.union([z.string(), Site]),
    status: Status,
    configuration: Values,
    externalIds: z.array(z.string()),
    urls: z.object({
      location: z.string(),
      publicEndpoint: z.string(),
      publicContentEndpoint: z.string(),
    }),
  })
  .meta({ id: 'IntegrationSiteInstallation' })

export const SiteInstallBody = z.strictObject({
  siteId: z.string().max(200).meta({ description: 'The id of the site.' }),
})

export const SiteInstallationPatch = z.strictObject(configured)

const extended = QueryFlag.optional().meta({
  description: 'true returns the sites instead of their ids.',
})

export const ExtendedQuery = z.strictObject({ extended })
export const SiteInstallationsQuery = PageQuery.extend({ extended })

export const SiteScript = z
  .object({
    script: z.string().meta({ description: 'The address of the script.' }),
    contentSecurityPolicy: z.string().optional(),
    cookies: z.boolean().meta({ description: 'Whether the script may use cookies.' }),
  })
  .meta({ id: 'SiteIntegrationScript' })

export const SiteScripts = z.array(SiteScript)
