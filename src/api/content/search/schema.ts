import { z } from 'zod'
import { listOf, PageQuery } from '../../../http/list.ts'

/** The words of a search. */
export const SearchText = z
  .string()
  .max(512)
  .refine(text => text.trim() !== '', 'takes the words to search for')
  .meta({
    description:
      'The words to search for, in any grammatical form; the last word may be a prefix. A page is found if one of its passages has all words. If there is no such page, pages with some of the words are found. Frequent words such as "the" are ignored beside other words. Case, accents and punctuation are ignored, and only the first 16 words are used.',
    examples: ['brakes'],
  })

export const SearchQuery = PageQuery.extend({ query: SearchText })

const Address = z.object({ app: z.string() })

const Score = z.number().meta({ description: 'The relevance of the result: higher is better.' })

const SearchSectionResult = z
  .object({
    id: z.string(),
    title: z.string(),
    path: z.string(),
    score: Score.meta({ description: 'The score of its page.' }),
    body: z.string(),
    urls: Address,
  })
  .meta({
    id: 'SearchSectionResult',
    description: 'A passage that a search found.',
    sentences: {
      id: 'The id of the page and of the passage in it.',
      title: 'The heading of the passage.',
      path: 'The path of the page, with the anchor of the heading.',
      body: 'The words of the passage around the match.',
    },
  })

export const SearchPageResult = z
  .object({
    id: z.string(),
    title: z.string(),
    description: z.string(),
    path: z.string(),
    sections: z.array(SearchSectionResult),
    ancestors: z.array(z.object({ title: z.string() })),
    score: Score,
    rank: z
      .int()
      .min(1)
      .meta({ description: 'The position among all results of the search, starting at 1.' }),
    urls: Address,
  })
  .meta({
    id: 'SearchPageResult',
    description: 'A page that a search found.',
    sentences: {
      id: 'The id of the page.',
      description: 'The description of the page; empty without one.',
      path: 'The path of the page in the tree.',
      sections: 'Its passages that match, the best first.',
      ancestors: 'The pages and groups above it, from the top.',
    },
  })

const SearchSpaceResult = z
  .object({
    type: z.literal('space'),
    id: z.string(),
    title: z.string(),
    score: Score.meta({ description: 'The score of its best page.' }),
    pages: z.array(SearchPageResult),
  })
  .meta({
    id: 'SearchSpaceResult',
    description: 'The results of a search in one space.',
    sentences: { id: 'The id of the space.', pages: 'The pages that match, the best first.' },
  })

const instead = {
  suggestion: z.string().optional().meta({
    description:
      'The query that was used in place of `query`, because no page contains some of its words. Left out when `query` itself was used.',
  }),
  without: z.array(z.string()).optional().meta({
    description:
      'The words that the best result does not contain. Present only if no page has all words in one passage.',
  }),
}

export const SearchPageResults = listOf(SearchPageResult).extend(instead)
export const SearchSpaceResults = listOf(SearchSpaceResult).extend(instead)
