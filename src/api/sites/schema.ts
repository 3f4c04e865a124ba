import { z } from 'zod'
import { SiteTitle } from '../../content/customization/parts.ts'
import { PageQuery, QueryFlag, QuerySearch } from '../../http/list.ts'
import { Level } from '../base/organizations/schema.ts'

import { SiteHostname, SiteProxyOrigin } from './name-schema.ts'

export const SitePath = z.object({ organizationId: z.string(), siteId: z.string() })

const siteTypes = [
  'basic',
  'premium',
  'ultimate',
  'sponsored',
  'legacy-basic',
  'legacy-premium',
] as const

const SiteType = z.enum(siteTypes).meta({
  description:
    'A plan of other services. It is stored for clients that send it, and has no effect.',
})
const SiteVisibility = z.enum(['public', 'unlisted', 'share-link', 'visitor-auth'])
const MembersOnly = z.boolean().optional().meta({
  description:
    'Whether only users with a role on the site can read it, after they sign in to this server. `visibility` of such a site is shown as "visitor-auth".',
})
const AgentsContext = z.enum(['included', 'excluded']).meta({
  description:
    '`excluded`: no Markdown, no `llms.txt` and no MCP endpoint for programs that read it.',
})
const TimeTravel = z.enum(['members', 'readers']).meta({
  description:
    'Who may read earlier versions of the pages, their history and comparisons on the site: members who may read the space, or all readers of the site. Earlier versions may contain what was removed since.',
})

/** The key of a share link, with which reads return addresses that contain it. */
export const ShareKey = z.string().max(200).optional().meta({
  description: 'The key of a share link of the site: published addresses contain it.',
})

export const ShareKeyQuery = z.strictObject({ shareKey: ShareKey })

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
        'The former host name, which the operator of the server no longer assigns to the organization. Setting `hostname` clears it.',
    }),
    withdrawnProxy: z.string().optional().meta({
      description:
        'The former `proxy.origin`, which the operator of the server no longer assigns to the organization. Setting `proxy` clears it.',
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
      preview: z.string().meta({
        description:
          'The address of the preview for members, which also works while the site is not published.',
      }),
    }),
  })
  .meta({
    id: 'Site',
    description: 'Spaces that are published to readers, with their structure, audience and look.',
    sentences: {
      type: 'A plan of other services. It is stored for clients that send it, and has no effect.',
      icon: 'The image or emoji of the site; left out without one.',
      'icon.icon': 'The image.',
      'icon.icon.light': 'The address of the image in the light theme.',
      'icon.icon.dark': 'The address of the image in the dark theme.',
      hostname: 'The host name of its own at which it is published; left out without one.',
      basename: 'The name of the site in its addresses on this server.',
      proxy: 'The address at a proxy of yours that serves the site; left out without one.',
      'proxy.origin': 'The host name and path at the proxy.',
      'proxy.target': 'The address to which the proxy sends requests.',
      visibility:
        'Who may read it: `public`: everyone; `unlisted`: everyone who knows the address, without search engines; `share-link`: everyone with a share link; `visitor-auth`: visitors with a token of your sign-in page.',
      membersOnly: 'Whether only users with a role on the site can read it.',
      published: 'Whether readers see it.',
      adaptiveContent: 'Whether pages differ by visitor.',
      'adaptiveContent.enabled': 'Whether claims of visitors decide what they see.',
      ads: 'Always the same, for clients that expect it: there is no advertising.',
      agentsContext:
        '`excluded`: no Markdown, no `llms.txt` and no MCP endpoint for programs that read it.',
      appliedType: 'The same as `type`.',
      features: 'The features of the site, for clients that check them. No feature is limited.',
      'features.id': 'The name of the feature.',
      'features.plan': 'The same as `type`.',
      'features.customizations': 'The settings that the feature covers.',
      'permissions.viewAdaptiveSchema': 'Whether the caller may read the schema of claims.',
      'permissions.editAdaptiveSchema': 'Whether the caller may change the schema of claims.',
      'urls.published':
        'The address for readers; left out while they cannot open it without a key.',
    },
  })

export const SitesQuery = PageQuery.extend({
  space: z
    .string()
    .max(200)
    .optional()
    .meta({ description: 'The id of a space: sites that show it.' }),
  title: QuerySearch.optional().meta({ description: 'A part of the title; case is ignored.' }),
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

export const SitePatch = z.strictObject({
  title: SiteTitle.optional(),
  type: SiteType.optional(),
  visibility: SiteVisibility.optional().meta({
    description:
      'Who may read it: `public`: everyone; `unlisted`: everyone who knows the address, without search engines; `share-link`: everyone with a share link; `visitor-auth`: visitors with a token of your sign-in page.',
  }),
  membersOnly: MembersOnly,
  basename: z
    .string()
    .min(1)
    .max(100)
    .optional()
    .meta({ description: 'The name of the site in its addresses on this server.' }),
  adaptiveContent: z
    .strictObject({
      enabled: z
        .boolean()
        .meta({ description: 'Whether claims of visitors decide what they see.' }),
    })
    .optional()
    .meta({ description: 'Whether pages differ by visitor.' }),
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
