import { z } from 'zod'
import { listOf, PageQuery } from '../../http/list.ts'

export const SearchQuery = PageQuery.extend({
  query: z
    .string()
    .max(512)
    .refine(text => text.trim() !== '', 'takes the words to search for')
    .meta({
      description:
        'The words to search for: pages that have all of them are found. The last one may be the beginning of a word. Case, accents and everything that is no letter or digit make no difference; the first 16 count.',
    }),
})

const Address = z.object({ app: z.string() })

export const SearchSectionResult = z
  .object({ id: z.string(), title: z.string(), path: z.string(), body: z.string(), urls: Address })
  .meta({ id: 'SearchSectionResult' })

export const SearchPageResult = z
  .object({
    id: z.string(),
    title: z.string(),
    description: z.string().optional(),
    path: z.string(),
    sections: z.array(SearchSectionResult),
    ancestors: z.array(z.object({ title: z.string() })),
    score: z.number(),
    urls: Address,
  })
  .meta({ id: 'SearchPageResult' })

export const SearchSpaceResult = z
  .object({ id: z.string(), title: z.string(), pages: z.array(SearchPageResult) })
  .meta({ id: 'SearchSpaceResult' })

export const SearchPageResults = listOf(SearchPageResult)
export const SearchSpaceResults = listOf(SearchSpaceResult)
