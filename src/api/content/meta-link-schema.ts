import { z } from 'zod'

export const MetaLinkTarget = z
  .discriminatedUnion('kind', [
    z.object({ kind: z.literal('page'), page: z.string(), space: z.string().optional() }),
    z.object({ kind: z.literal('url'), url: z.string() }),
  ])
  .meta({
    id: 'RevisionPageMetaLinkTarget',
    description: 'A page, or an address.',
    sentences: {
      page: 'The id of the page.',
      space: 'The space of the page; left out for the space of the request.',
      url: 'The address.',
    },
  })

/** What a page itself names in its front matter. */
export const WrittenMetaLinks = z
  .object({ canonical: MetaLinkTarget.optional(), alternates: z.array(MetaLinkTarget) })
  .meta({
    id: 'RevisionPageWrittenMetaLinks',
    description:
      'The `metaLinks` in the front matter of a page, without those that lead nowhere. A page of another space is named by its address, as written; `GET …/meta-links` returns its id.',
    sentences: {
      canonical: 'What to list in place of the page.',
      alternates: 'The same page in other variants or elsewhere.',
    },
  })
