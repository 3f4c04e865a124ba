import { isIP } from 'node:net'
import { z } from 'zod'
import { SiteTitle } from '../../content/customization/parts.ts'
import { PageQuery, QueryFlag, QuerySearch } from '../../http/list.ts'
import { Level } from '../base/organizations/schema.ts'

import { Space } from '../spaces/schema.ts'

export const SitePath = z.object({ organizationId: z.string(), siteId: z.string() })

const siteTypes = [
  'basic',
  'premium',
  'ultimate',
  'sponsored',
  'legacy-basic',
  'legacy-premium',
] as const

const SiteType = z.enum(siteTypes)
const SiteVisibility = z.enum(['public', 'unlisted', 'share-link', 'visitor-auth'])
const MembersOnly = z.boolean().optional().meta({
  description:
    'Whether the site is read only by users who have a role on it: they sign in to this server. Its visibility is then "visitor-auth", the closest value of other clients.',
})
const AgentsContext = z.enum(['included', 'excluded'])
const TimeTravel = z.enum(['members', 'readers']).meta({
  description:
    'Who may read earlier versions of the pages, their history and comparisons on the site: members who may read the space, or all readers of the site. Earlier versions may contain what was removed since.',
})

/** The key of a share link, with which reads return addresses that contain it. */
export const ShareKey = z.string().max(200).optional().meta({
  description: 'The key of a share link of the site: published addresses contain it.',
})

export const ShareKeyQuery = z.strictObject({ shareKey: ShareKey })

const Draft = z.boolean().meta({ description: 'Whether readers are not shown it.' })

const PublishedUrls = z.object({ published: z.string().optional() })

const Themed = z.object({ light: z.string(), dark: z.string() })

export const Site = z
  .object({
    object: z.literal('site'),
    id: z.string(),
    type: SiteType,
    title: z.string(),
    icon: z.union([z.object({ icon: Themed }), z.object({ emoji: z.string() })]).optional(),
    hostname: z.string().optional(),
    withdrawnHostname: z.string().optional().meta({
      description:
        'The former host name, which the operator of the server no longer assigns to the organization. Setting `hostname` forgets it.',
    }),
    withdrawnProxy: z.string().optional().meta({
      description: 'The former `proxy.origin`, as `withdrawnHostname`. Setting `proxy` forgets it.',
    }),
    basename: z.string(),
    proxy: z.object({ origin: z.string(), target: z.string() }).optional(),
    visibility: SiteVisibility,
    membersOnly: z.boolean(),
    published: z.boolean(),
    siteSpaces: z.int().meta({ description: 'The number of its spaces that the caller may see.' }),
    createdAt: z.string(),
    adaptiveContent: z.object({ enabled: z.boolean() }),
    ads: z.object({ status: z.literal('pending'), submittable: z.literal(false) }),
    agentsContext: AgentsContext,
    defaultLevel: Level,
    timeTravel: TimeTravel,
    appliedType: SiteType,
    features: z.array(
      z.object({
        id: z.string(),
        plan: SiteType,
        frozen: z.literal(false),
        customizations: z.array(z.string()).optional(),
      }),
    ),
    permissions: z.object({
      view: z.boolean(),
      access: z.boolean(),
      edit: z.boolean(),
      create: z.boolean(),
      admin: z.boolean(),
      installIntegration: z.boolean(),
      viewAdaptiveSchema: z.boolean(),
      editAdaptiveSchema: z.boolean(),
    }),
    urls: z.object({
      location: z.string(),
      app: z.string(),
      published: z.string().optional(),
      preview: z.string().meta({ description: 'Where members see it, published or not.' }),
    }),
  })
  .meta({ id: 'Site' })

export const SiteSpace = z
  .object({
    object: z.literal('site-space'),
    id: z.string(),
    path: z.string(),
    title: z.string(),
    default: z.boolean(),
    section: z.string().optional(),
    space: Space,
    condition: z.string().optional(),
    hasAdvancedCustomizationFeature: z.literal(true),
    draft: Draft,
    urls: PublishedUrls,
  })
  .meta({ id: 'SiteSpace' })

export const SiteSection = z
  .object({
    object: z.literal('site-section'),
    id: z.string(),
    title: z.string(),
    description: z.string().optional(),
    default: z.boolean(),
    path: z.string(),
    condition: z.string().optional(),
    sectionGroup: z.string().optional(),
    siteSpaces: z.array(SiteSpace),
    icon: z.string().optional(),
    draft: Draft,
    urls: PublishedUrls,
  })
  .meta({ id: 'SiteSection' })

const sectionGroup = {
  object: z.literal('site-section-group'),
  id: z.string(),
  title: z.string(),
  icon: z.string().optional(),
  sectionGroup: z.string().optional(),
  sections: z.array(SiteSection).meta({ description: 'The sections among `children`.' }),
  draft: Draft,
}

/** A group at the root; it may contain groups, which contain sections only. */
export const SiteSectionGroup = z
  .object({
    ...sectionGroup,
    children: z.array(
      z.union([SiteSection, z.object({ ...sectionGroup, children: z.array(SiteSection) })]),
    ),
  })
  .meta({ id: 'SiteSectionGroup' })

export const SiteStructure = z
  .union([
    z.object({
      type: z.literal('sections'),
      structure: z.array(z.union([SiteSection, SiteSectionGroup])),
    }),
    z.object({ type: z.literal('siteSpaces'), structure: z.array(SiteSpace) }),
  ])
  .meta({ id: 'SiteStructure' })

export const SitesQuery = PageQuery.extend({
  space: z
    .string()
    .max(200)
    .optional()
    .meta({ description: 'The id of a space: sites that show it.' }),
  title: QuerySearch.optional().meta({ description: 'A part of the title, in any case.' }),
  published: QueryFlag.optional().meta({ description: 'Only published sites, or only others.' }),
  type: z
    .union([SiteType, z.array(SiteType)])
    .transform(type => (Array.isArray(type) ? type : [type]))
    .optional()
    .meta({ description: 'Types of sites; may be repeated.' }),
})

export const SiteBody = z.strictObject({
  type: SiteType.optional(),
  title: SiteTitle.optional().meta({
    description: 'Default: the title of the first space, else "Documentation".',
  }),
  visibility: SiteVisibility.optional().meta({ description: 'Default: "public".' }),
  membersOnly: MembersOnly,
  spaces: z
    .array(z.string())
    .max(100)
    .optional()
    .meta({ description: 'The ids of spaces to place on the site; the first is its default.' }),
})

/** At least three labels, none of them upper-case, without a dot at the end. */
const SiteHostname = z
  .string()
  .max(253)
  .regex(
    /^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?[.]){2,}[a-z0-9][a-z0-9-]{0,61}[a-z0-9]$/,
    'takes a host name of at least three labels, such as "docs.example.org"; international names in Punycode',
  )
  .refine(name => !isIP(name), 'takes a host name, not an IP address')

const SiteProxyOrigin = z
  .string()
  .max(512)
  .regex(
    /^([\w-]+\.)*[\w-]+\.[a-zA-Z]{2,}(\/[\w-]+)+$/,
    'takes a host name and a path without a scheme, such as "example.org/docs"',
  )
  // Host names are compared in lower case; paths are not.
  .transform(origin => origin.replace(/^[^/]+/, host => host.toLowerCase()))

export const SitePatch = z.strictObject({
  title: SiteTitle.optional(),
  type: SiteType.optional(),
  visibility: SiteVisibility.optional(),
  membersOnly: MembersOnly,
  basename: z.string().min(1).max(100).optional(),
  adaptiveContent: z.strictObject({ enabled: z.boolean() }).optional(),
  agentsContext: AgentsContext.optional(),
  defaultLevel: Level.optional(),
  timeTravel: TimeTravel.optional(),
  defaultSiteSection: z.string().max(200).optional().meta({
    description: 'The id of the section that acts as the default.',
  }),
  defaultSiteSpace: z.string().max(200).optional().meta({
    description:
      'The id of the site space that acts as the default: one of the default section, or of the root if the site has no sections.',
  }),
  hostname: SiteHostname.nullable().optional().meta({
    description:
      'The host name at which the site is published; null removes it. On a server with several organizations, the operator decides which names each may use.',
  }),
  proxy: SiteProxyOrigin.nullable().optional().meta({
    description:
      'The host name and path under which a proxy of yours serves the site, such as "example.org/docs"; null removes it.',
  }),
})

export const Subdomain = z
  .object({
    object: z.literal('subdomain'),
    subdomain: z.string(),
    target: z.object({ type: z.literal('organization'), organization: z.string() }),
    isActive: z.literal(true),
  })
  .meta({ id: 'Subdomain' })

export const CustomHostname = z
  .object({
    object: z.literal('custom-hostname'),
    hostname: z.string(),
    target: z.object({ type: z.literal('site'), site: z.string() }),
    isActive: z.literal(true),
    status: z.literal('live'),
    urls: z.object({ location: z.string() }),
  })
  .meta({ id: 'CustomHostname' })
