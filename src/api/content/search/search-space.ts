import type { z } from 'zod'
import type { RequestFacts } from '../../../access/asker.ts'
import type { PublishedGrant } from '../../../access/guards/content.ts'
import { findInOpened, inPlace } from '../../../actions/audience/finding/find-in.ts'
import { openContent } from '../../../actions/audience/open-content.ts'
import { searchSource } from '../../../actions/search/search-source.ts'
import { searchTerms } from '../../../content/search/words.ts'
import type { Context } from '../../../context.ts'
import { Answer } from '../../../http/endpoint.ts'
import { answerList } from '../../../http/list.ts'
import { presentFound } from './present.ts'
import type { SearchPageResults, SearchQuery } from './schema.ts'

type Query = z.output<typeof SearchQuery>
type Results = z.input<typeof SearchPageResults>

/**
 * Searches the content that a guard granted: the primary content of a space, or that of a change
 * request.
 */
export async function searchContent(
  ctx: Context,
  granted: PublishedGrant,
  query: Query,
  request: RequestFacts,
): Promise<Answer<Results>> {
  const open = await openContent(ctx, granted, { computed: true, request })
  const source = searchSource(open.view, open.whole)
  const terms = searchTerms(query.query)
  const { found, revision } = await findInOpened(open, source, {
    terms,
    query: query.query,
    signal: open.signal,
  })
  const list = await answerList(ctx, query, {
    name: `search ${open.space.id} ${open.scope} ${query.query}`,
    rows: found,
    key: ({ row, rank }): [number, number] => [rank, row.id],
    show: rows => {
      const shown = rows.map(each => ({ ...inPlace(open, each), location: open.location }))
      return presentFound(ctx.store, shown, terms, open.signal)
    },
  })

  return new Answer(list, { headers: { 'Stemma-Revision': revision } })
}
