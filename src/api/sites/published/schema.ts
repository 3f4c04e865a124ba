import { z } from 'zod'
import { CustomizationSettings } from '../../../content/customization/schema.ts'
import { QueryFlag } from '../../../http/list.ts'
import { SiteScripts } from '../integrations/schema.ts'
import { Site, SiteStructure } from '../schema.ts'

const Url = z.string().max(2048)

const onError = {
  description: 'Whether an unusable visitor token leads to the sign-in page instead of a refusal.',
}

/** Other properties are ignored: clients send some. */
export const ResolveBody = z.object({
  url: Url.meta({ description: 'The address of published content.' }),
  redirectOnError: z.boolean().optional().meta(onError),
  visitor: z
    .object({
      jwtToken: z
        .string()
        .optional()
        .meta({ description: 'The visitor token, with signed claims.' }),
      unsignedClaims: z.record(z.string(), z.unknown()).optional(),
      type: z.enum(['human', 'agent']).optional(),
    })
    .optional(),
})

export const ResolveQuery = z.strictObject({
  url: Url.meta({ description: 'The address of published content.' }),
  visitorAuthToken: z
    .string()
    .optional()
    .meta({ description: 'The visitor token, with signed claims.' }),
  redirectOnError: QueryFlag.optional().meta(onError),
})

const Redirect = z.object({
  target: z.enum(['content', 'external']),
  redirect: z.string(),
  site: z.string().optional().meta({ description: 'The site whose visitors have to sign in.' }),
})

const PublishedContent = z.object({
  site: z.string(),
  siteSection: z.string().optional(),
  siteSpace: z.string(),
  space: z.string(),
  organization: z.string(),
  changeRequest: z.string().optional(),
  revision: z.string().optional(),
  siteBasePath: z.string().meta({ description: 'The path of the site in the address.' }),
  basePath: z.string().meta({ description: 'The path of the site space in the address.' }),
  pathname: z.string().meta({ description: 'The path of the page. The page may not exist.' }),
  canonicalUrl: z.string(),
  complete: z.boolean().meta({
    description: 'Whether further segments cannot lead to another section or site space.',
  }),
  shareKey: z.string().optional(),
  contextId: z.string().optional().meta({ description: 'A digest of the claims in force.' }),
  preview: z.boolean().optional(),
  apiToken: z.string().meta({
    description:
      'A reading token: a Bearer token that reads what the visitor may read of the site.',
  }),
})

export const PublishedLookup = z
  .union([PublishedContent, Redirect])
  .meta({ id: 'PublishedSiteContentLookup' })

export const PublishedContentSite = z
  .object({
    object: z.literal('published-content-site'),
    site: Site,
    structure: SiteStructure,
    customizations: z.object({
      site: CustomizationSettings,
      siteSpaces: z.record(z.string(), CustomizationSettings).meta({
        description: 'The whole settings of every site space in `structure`, by its id.',
      }),
    }),
    scripts: SiteScripts,
  })
  .meta({ id: 'PublishedContentSite' })
