import { z } from 'zod'
import { MetaLinkTarget } from '../meta-link-schema.ts'

export const PageMetaLinks = z
  .object({
    canonical: MetaLinkTarget.optional(),
    alternates: z.array(MetaLinkTarget),
    sites: z.array(
      z.object({
        site: z.string(),
        siteSpace: z.string(),
        canonical: z.url(),
        alternates: z.array(z.object({ language: z.string(), url: z.url() })),
      }),
    ),
  })
  .meta({
    id: 'RevisionPageMetaLinks',
    description: 'What search engines are told about a page.',
    sentences: {
      canonical:
        'What to list for the page: what `metaLinks.canonical` of its front matter names, else its address at the published site that gives the space its published address, or at the oldest one. Left out for a page without either.',
      alternates:
        'The same page elsewhere: what `metaLinks.alternates` of its front matter name, then the page in the other languages of that site.',
      sites:
        'The page at each published site that shows it to visitors, the oldest first, up to 20.',
      'sites.site': 'The id of the site.',
      'sites.siteSpace': 'The id of the space in the site.',
      'sites.canonical': 'The address in `<link rel="canonical">` of the page there.',
      'sites.alternates':
        'The addresses in `<link rel="alternate" hreflang>` of the page there; none on a site with one language, and on sites that are not public.',
      'sites.alternates.language':
        'The language tag, or `x-default` for the address for all other languages.',
      'sites.alternates.url': 'The address of the page in this language.',
    },
  })
