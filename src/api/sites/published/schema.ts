import { z } from 'zod'
import { CustomizationSettings } from '../../../content/customization/schema.ts'
import { QueryFlag } from '../../../http/list.ts'
import { SiteScripts } from '../integrations/schema.ts'
import { Site } from '../schema.ts'
import { SiteStructure } from '../structure-schema.ts'

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
      unsignedClaims: z.record(z.string(), z.unknown()).optional().meta({
        description: 'Claims without a signature; the schema of claims says which of them count.',
      }),
      type: z
        .enum(['human', 'agent'])
        .optional()
        .meta({ description: 'Whether a person reads, or a program.' }),
    })
    .optional()
    .meta({ description: 'What is known of the visitor.' }),
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
    description:
      'Whether the address is final: no further path segments can lead to another section or site space.',
  }),
  shareKey: z.string().optional(),
  contextId: z.string().optional().meta({ description: 'A digest of the claims of the visitor.' }),
  preview: z.boolean().optional(),
  apiToken: z.string().meta({
    description:
      'A reading token: a Bearer token that reads what the visitor may read of the site.',
  }),
})

export const PublishedLookup = z.union([PublishedContent, Redirect]).meta({
  id: 'PublishedSiteContentLookup',
  description:
    'What is published at an address, with a token to read it; or where the visitor has to go first.',
  sentences: {
    site: 'The id of the site.',
    siteSection: 'The id of the section; left out on a site without sections.',
    siteSpace: 'The id of the site space.',
    space: 'The id of the space.',
    changeRequest: 'The id of the change request that a preview shows.',
    revision: 'The revision that the address names; left out for the current one.',
    canonicalUrl: 'The address that search engines should remember.',
    shareKey: 'The key of the share link in the address.',
    preview: 'true for a preview of a site that need not be published.',
    target: '`content`: go on to another address of the site. `external`: leave it, as to sign in.',
    redirect: 'The address to go to.',
  },
})

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
  .meta({
    id: 'PublishedContentSite',
    description:
      'Everything that a reading application needs to show a site: its structure, settings and scripts.',
    sentences: {
      site: 'The site, as the visitor sees it.',
      structure: 'The sections and spaces that the visitor may read.',
      customizations: 'How the site looks and behaves.',
      'customizations.site': 'The settings of the site.',
      scripts: 'The scripts of integrations that pages load.',
    },
  })
