import { z } from 'zod'
import { mostInBulk } from '../../../actions/audience/put-redirects.ts'
import {
  isExternalAddress,
  longestSource,
  sourcePattern,
} from '../../../content/site/redirect-source.ts'
import { PageQuery, QueryFlag, QuerySearch } from '../../../http/list.ts'
import { ShareKey, SitePath } from '../schema.ts'

export const SiteRedirectPath = SitePath.extend({ siteRedirectId: z.string() })

const Source = z
  .string()
  .max(longestSource)
  .regex(
    sourcePattern,
    'takes a path such as "/old/page" or "/old/*": segments of letters, digits, "-", ".", "_", "~", "+" and encoded characters',
  )
  .meta({
    description:
      'The path below the base of the site; case is ignored. A "*" at its end matches any text, also none.',
  })

/** An address outside of the site. */
const ExternalAddress = z
  .url({ protocol: /^https$/, normalize: true })
  .max(2048)
  .refine(isExternalAddress, 'takes an https URL without a user name and a password')

const Destination = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('site-section'),
    siteSectionId: z.string().meta({ description: 'The id of the section.' }),
  }),
  z.strictObject({
    kind: z.literal('site-space'),
    siteSpaceId: z.string().meta({ description: 'The id of the site space.' }),
  }),
  z.strictObject({
    kind: z.literal('site-page'),
    siteSpaceId: z.string().meta({ description: 'The id of the site space.' }),
    pageId: z.string().meta({ description: 'The id of the page.' }),
  }),
  z.strictObject({
    kind: z.literal('external'),
    url: ExternalAddress.meta({ description: 'The https address.' }),
  }),
])

/** A page by its path in a space of the site. */
const DestinationPath = z.strictObject({
  kind: z.literal('path'),
  spaceId: z.string().meta({ description: 'The id of a space of the site.' }),
  path: z
    .string()
    .max(2048)
    .meta({ description: 'The path of a page in the published content of the space.' }),
})

const InputDestination = z
  .discriminatedUnion('kind', [...Destination.options, DestinationPath])
  .meta({
    description:
      'The target: a part of the site, a page or an https address. A page given by its path is stored by its id.',
  })

const Draft = z.boolean().meta({
  description: 'Whether it is a draft, which has no effect until it is published.',
})
const CaptureWildcard = z.boolean().meta({
  description: 'Whether what "*" matches is appended to the address of the destination.',
})
const Permanent = z.boolean().meta({
  description:
    'Whether the redirect is permanent: sites that everyone may read answer with 308 instead of 307, so that search engines keep the new address.',
})

export const SiteRedirect = z
  .object({
    object: z.literal('site-redirect'),
    id: z.string(),
    source: z.string(),
    destination: Destination,
    draft: Draft,
    captureWildcard: CaptureWildcard,
    permanent: Permanent,
    createdAt: z.string(),
    updatedAt: z.string().optional(),
  })
  .meta({
    id: 'SiteRedirect',
    description: 'A redirect from a former path of a site to a target.',
    sentences: {
      source: 'The path below the base of the site.',
      destination: 'The target: a part of the site, or an external address.',
    },
  })

export const SiteRedirectBody = z.strictObject({
  source: Source,
  destination: InputDestination,
  draft: Draft.default(false),
  captureWildcard: CaptureWildcard.default(false),
  permanent: Permanent.default(false),
})

export const SiteRedirectPatch = z.strictObject({
  source: Source.optional(),
  destination: Destination.optional().meta({ description: 'The new target. Default: unchanged.' }),
  draft: Draft.optional(),
  captureWildcard: CaptureWildcard.optional(),
  permanent: Permanent.optional(),
})

const Published = z.strictObject({
  source: Source,
  intent: z.literal('publish').meta({
    description: 'The draft from this path takes the place of the redirect from it.',
  }),
})

const Put = z.strictObject({
  source: Source,
  intent: z
    .enum(['live', 'draft'])
    .default('live')
    .meta({ description: 'Whether the redirect is a draft.' }),
  captureWildcard: CaptureWildcard.default(false),
  permanent: Permanent.optional().meta({
    description: 'Whether it is permanent. Without it, an existing redirect keeps what it has.',
  }),
  destination: InputDestination.nullable().meta({
    description: 'The target; null deletes the redirect.',
  }),
})

export const SiteRedirectsBody = z.strictObject({
  redirects: z
    .array(z.union([Published, Put]))
    .min(1)
    .max(mostInBulk)
    .meta({ description: `The changes, in their order; at most ${mostInBulk}.` }),
})

export const SiteRedirectResults = z
  .object({
    results: z
      .array(
        z.object({
          status: z.enum(['created', 'updated', 'deleted', 'published', 'error']),
          source: z.string(),
          draft: z.boolean().meta({ description: 'Whether the redirect is a draft.' }),
          id: z
            .string()
            .optional()
            .meta({ description: 'The id of the redirect that was written.' }),
          error: z.string().optional().meta({ description: 'Why nothing was changed.' }),
          reason: z
            .string()
            .optional()
            .meta({ description: 'The word of the error, as in `error.reason` of a refusal.' }),
        }),
      )
      .meta({ description: 'The result of each change, in the order of the request.' }),
  })
  .meta({
    id: 'SiteRedirectResults',
    description: 'The results of writing several redirects.',
    sentences: {
      'results.status': 'What was done; `error` if this change was refused.',
      'results.source': 'The path below the base of the site.',
    },
  })

export const SiteRedirectsQuery = PageQuery.extend({
  search: QuerySearch.optional().meta({
    description: 'A part of the source path; case is ignored.',
  }),
  draft: QueryFlag.optional().meta({
    description: 'true lists drafts instead of published redirects.',
  }),
  orderBy: z.enum(['createdAt', 'updatedAt', 'source']).default('createdAt').meta({
    description:
      'Newest first, by creation or by last change; or in the order of the source paths. Default: `createdAt`.',
  }),
})

export const SiteRedirectQuery = z.strictObject({ source: Source, shareKey: ShareKey })

export const ResolvedSiteRedirect = z
  .object({
    redirect: SiteRedirect,
    target: z
      .string()
      .meta({ description: 'The address of the destination as the caller reaches it.' }),
  })
  .meta({
    id: 'ResolvedSiteRedirect',
    description: 'A redirect of a site, with the address that it leads to.',
    sentences: { redirect: 'The redirect that applies.' },
  })
