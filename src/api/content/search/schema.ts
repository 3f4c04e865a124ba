import { z } from 'zod'
import { listOf, PageQuery } from '../../../http/list.ts'

/** The words of a search. */
export const SearchText = z
  .string()
  .max(512)
  .refine(text => text.trim() !== '', 'takes the words to search for')
  .meta({
    description:
      'The words to search for: pages contain all of them in any form, or if no page has all in one passage, some of them; words such as "the" do not count beside others. The last word may be a prefix. Case, accents and characters other than letters and digits are ignored; only the first 16 words count.',
  })

export const SearchQuery = PageQuery.extend({ query: SearchText })

const Address = z.object({ app: z.string() })

const Score = z.number().meta({ description: 'How well it matches: higher is better.' })

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
      .meta({ description: 'The place among all pages that the search finds, from 1 on.' }),
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
    description: 'The query that was searched instead, because nothing has some of the words.',
  }),
  without: z.array(z.string()).optional().meta({
    description:
      'Words of the query that the best page lacks: no page has all words in one passage, and these pages have some of them.',
  }),
}

export const SearchPageResults = listOf(SearchPageResult).extend(instead)
export const SearchSpaceResults = listOf(SearchSpaceResult).extend(instead)
