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
  .meta({
    id: 'Integration',
    description: 'A tool that organizations install: its manifest as its owner has published it.',
    sentences: {
      name: 'The unique name, which paths take.',
      version: 'The number of publications; each one adds 1.',
      description: 'What it does, in one sentence.',
      summary: 'What it does, in Markdown.',
      previewImages: 'The addresses of its pictures.',
      target: 'What it can be installed on.',
      visibility:
        'Who may see and install it: everyone, members of the owner, or everyone who knows its name.',
      scopes: 'What it asks to be allowed.',
      configurations: 'The forms with which users configure an installation.',
      externalLinks: 'Links to more about it, such as its manual.',
      'externalLinks.url': 'The address.',
      'externalLinks.label': 'The words of the link.',
      categories: 'What it is for.',
      blocks: 'The blocks that it adds to pages.',
      contentSources: 'The sources of pages that it adds.',
      'blocks.icon': 'The address of the picture of the block.',
      'contentSources.icon': 'The address of the picture of the source.',
      'configurations.account':
        'The form for the organization: properties, or a component of the integration.',
      'configurations.account.properties': 'The fields of the form, by name.',
      'configurations.account.properties.type':
        'The kind of field: `string`, `number`, `boolean` or `button`.',
      'configurations.account.required':
        'The names of the fields without which the installation stays `pending`.',
      'configurations.account.componentId': 'The id of the component that shows the form.',
      'configurations.space':
        'The form for a space: properties, or a component of the integration.',
      'configurations.space.properties': 'The fields of the form, by name.',
      'configurations.space.properties.type':
        'The kind of field: `string`, `number`, `boolean` or `button`.',
      'configurations.space.required':
        'The names of the fields without which the installation stays `pending`.',
      'configurations.space.componentId': 'The id of the component that shows the form.',
      'configurations.site': 'The form for a site: properties, or a component of the integration.',
      'configurations.site.properties': 'The fields of the form, by name.',
      'configurations.site.properties.type':
        'The kind of field: `string`, `number`, `boolean` or `button`.',
      'configurations.site.required':
        'The names of the fields without which the installation stays `pending`.',
      'configurations.site.componentId': 'The id of the component that shows the form.',
      owner: 'The organization that publishes it.',
      contentSecurityPolicy: 'What its scripts may load, as a Content Security Policy.',
      'urls.assets': 'Where its images are served.',
      'urls.icon': 'The address of its icon.',
      'urls.publicEndpoint':
        'Where requests to the integration would go; this server does not run its script.',
      'urls.publicContentEndpoint': 'The same address.',
    },
  })

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
  .meta({
    id: 'IntegrationInstallation',
    description: 'An integration in an organization.',
    sentences: {
      integration: 'The name of the integration.',
      configuration: 'The values that were configured; secret ones are shown as "".',
      externalIds:
        'Up to five ids of yours, such as that of an account at the service that it connects.',
      'urls.publicEndpoint':
        'Where requests to the integration would go; this server does not run its script.',
      'urls.publicContentEndpoint': 'The same address.',
      space_selection: 'Whether it may access all spaces, or those in `selectedSpaces`.',
      site_selection: 'Whether it may access all sites, or those that it is installed on.',
      target: 'What it is installed on.',
    },
  })

export const InstallBody = z.strictObject({
  organization: z.string().max(200).meta({ description: 'The id of the organization.' }),
})

const configured = {
  configuration: Values.optional().meta({
    description:
      'Replaces the configuration. Texts whose name contains "secret", "token", "key" or "password" are stored encrypted and read as ""; sent as "", they keep their value.',
  }),
  externalIds: ExternalIds.optional().meta({
    description:
      'Up to five ids of yours, such as that of an account at the service that it connects.',
  }),
}

export const InstallationPatch = z.strictObject({
  ...configured,
  space_selection: Selection.optional().meta({
    description: 'Whether it may access all spaces, or those in `selectedSpaces`.',
  }),
  site_selection: Selection.optional().meta({
    description: 'With "selected", it may access the sites that it is installed on.',
  }),
  selectedSpaces: z.array(z.string().max(200)).max(1000).optional().meta({
    description: 'The ids of the spaces that it may access with `space_selection: "selected"`.',
  }),
})

export const InstallationToken = z
  .object({ token: z.string().meta({ description: 'The token, which is shown only once.' }) })
  .meta({
    id: 'APITemporaryToken',
    description: 'A token of an integration that expires soon.',
  })

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
  .meta({
    id: 'IntegrationSiteInstallation',
    description: 'An integration on a site.',
    sentences: {
      integration: 'The name of the integration.',
      configuration: 'The values that were configured; secret ones are shown as "".',
      externalIds:
        'Up to five ids of yours, such as that of an account at the service that it connects.',
      'urls.publicEndpoint':
        'Where requests to the integration would go; this server does not run its script.',
      'urls.publicContentEndpoint': 'The same address.',
      installation: 'The id of its installation in the organization.',
      site: 'The id of the site, or the site with `extended=true`.',
    },
  })

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
  .meta({
    id: 'SiteIntegrationScript',
    description: 'A script of an integration that the pages of a site load.',
    sentences: { contentSecurityPolicy: 'What the script may load; left out without a policy.' },
  })

export const SiteScripts = z.array(SiteScript)
