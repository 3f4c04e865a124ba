import { z } from 'zod'
import { PageQuery, QuerySearch } from '../../../http/list.ts'
import { ShareKey, SitePath } from '../schema.ts'

export const SiteRedirectPath = SitePath.extend({ siteRedirectId: z.string() })

const segment = '(?:[A-Za-z0-9\\-._~]|%[0-9A-Fa-f]{2})+'

const Source = z
  .string()
  .max(512)
  .regex(
    new RegExp(`^(?:/${segment})+$`),
    'takes a path such as "/old/page": segments of letters, digits, "-", ".", "_", "~" and encoded characters',
  )
  .meta({ description: 'The path below the base of the site; case is ignored.' })

/** An address outside of the site. */
const ExternalAddress = z
  .url({ protocol: /^https$/, normalize: true })
  .max(2048)
  .refine(url => {
    if (!URL.canParse(url)) return false
    const { username, password } = new URL(url)
    return username === '' && password === ''
  }, 'takes an https URL without a user name and a password')

const Destination = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('site-section'), siteSectionId: z.string() }),
  z.strictObject({ kind: z.literal('site-space'), siteSpaceId: z.string() }),
  z.strictObject({ kind: z.literal('site-page'), siteSpaceId: z.string(), pageId: z.string() }),
  z.strictObject({ kind: z.literal('external'), url: ExternalAddress }),
])

export const SiteRedirect = z
  .object({
    object: z.literal('site-redirect'),
    id: z.string(),
    source: z.string(),
    destination: Destination,
    draft: z.literal(false),
    captureWildcard: z.literal(false),
    permanent: z.literal(false),
    createdAt: z.string(),
  })
  .meta({ id: 'SiteRedirect' })

export const SiteRedirectBody = z.strictObject({ source: Source, destination: Destination })

export const SiteRedirectPatch = z.strictObject({
  source: Source.optional(),
  destination: Destination.optional(),
})

export const SiteRedirectsQuery = PageQuery.extend({
  search: QuerySearch.optional().meta({ description: 'A part of the source path, in any case.' }),
})

export const SiteRedirectQuery = z.strictObject({ source: Source, shareKey: ShareKey })

export const ResolvedSiteRedirect = z
  .object({
    redirect: SiteRedirect,
    target: z
      .string()
      .meta({ description: 'The address of the destination as the caller reaches it.' }),
  })
  .meta({ id: 'ResolvedSiteRedirect' })
