import type { z } from 'zod'
import type { RequestFacts } from '../../../access/asker.ts'
import type { PublishedGrant } from '../../../access/guards/content.ts'
import { findInOpened, inPlace } from '../../../actions/audience/finding/find-in.ts'
import { searchWords } from '../../../actions/audience/finding/search-words.ts'
import { titlesIn } from '../../../actions/audience/finding/titles-of-links.ts'
import { openContent } from '../../../actions/audience/open-content.ts'
import { searchSource } from '../../../actions/search/search-source.ts'
import type { Context } from '../../../context.ts'
import { Answer } from '../../../http/endpoint.ts'
import { answerList } from '../../../http/list.ts'
import { placesOf, presentFound } from './present.ts'
import type { SearchPageResults, SearchQuery } from './schema.ts'

type Query = z.output<typeof SearchQuery>
type Results = z.input<typeof SearchPageResults>

/**
 * Searches the content that a guard granted: the primary content of a space, that of a change
 * request, or a revision.
 */
export async function searchContent(
  ctx: Context,
  granted: PublishedGrant,
  query: Query,
  request: RequestFacts,
): Promise<Answer<Results>> {
  const open = await openContent(ctx, granted, { computed: true, request })
  const source = searchSource(open.view, open.whole, open.mayKeep)
  const { result, terms, suggestion, without } = await searchWords(ctx, {
    query: query.query,
    language: open.space.language,
    signal: request.signal,
    find: (wanted, evaluations) => findInOpened(open, source, wanted, evaluations),
    pagesOf: ({ found }) => found,
  })
  const { found, revision } = result
  const list = await answerList(ctx, query, {
    name: `search ${open.space.id} ${open.scope} ${query.query}`,
    rows: found,
    key: ({ row, rank }): [number, number] => [rank, row.id],
    show: rows => {
      const { app } = open
      const shown = rows.map(each => ({ ...inPlace(open, each), app }))
      return presentFound(ctx.store, shown, {
        places: placesOf(found),
        terms,
        titles: () => titlesIn(open.shown.content),
        signal: open.signal,
      })
    },
  })

  return new Answer(
    {
      ...list,
      ...(suggestion !== undefined && { suggestion }),
      ...(without.length > 0 && { without }),
    },
    { headers: { 'Stemma-Revision': revision } },
  )
}
