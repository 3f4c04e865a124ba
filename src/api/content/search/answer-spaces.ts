import type { z } from 'zod'
import type { RequestFacts } from '../../../access/asker.ts'
import type { Wanted } from '../../../actions/audience/finding/find-pages.ts'
import type { FoundSpace } from '../../../actions/audience/finding/find-spaces.ts'
import { searchTerms } from '../../../content/search/words.ts'
import type { Context } from '../../../context.ts'
import { envelope, pageOf } from '../../../http/list.ts'
import { findSpaces } from '../../../store/spaces/spaces.ts'
import { presentFound } from './present.ts'
import type { SearchSpaceResults } from './schema.ts'

type SpaceSearch = {
  /** Returns the spaces with pages that have all terms, best first. */
  find: (wanted: Wanted & Pick<RequestFacts, 'signal'>) => Promise<FoundSpace[]>
  /** The name of the list for its cursors. */
  list: string
  query: { query: string; page?: string | undefined; limit?: number | undefined }
  request: Pick<RequestFacts, 'signal'>
}

/** Answers with a list of the spaces that a search finds, with their pages. */
export async function answerSpaces(
  ctx: Context,
  { find, list, query, request: { signal } }: SpaceSearch,
): Promise<z.input<typeof SearchSpaceResults>> {
  const terms = searchTerms(query.query)
  const found = terms.length === 0 ? [] : await find({ terms, query: query.query, signal })
  const page = await pageOf<FoundSpace, [rank: number, number: number]>(
    ctx,
    list,
    query,
    (limit, after) => {
      const from = after ? found.findIndex(space => isAfter([space.rank, space.number], after)) : 0
      return from === -1 ? [] : found.slice(from, from + limit)
    },
    ({ rank, number }) => [rank, number],
  )

  const spaces = findSpaces(
    ctx.store,
    page.rows.map(({ id }) => id),
  )
  const items: z.input<typeof SearchSpaceResults>['items'] = []

  for (const { id, pages } of page.rows) {
    const space = spaces.get(id)
    if (!space) continue
    const location = `${ctx.publicUrl()}/v1/spaces/${id}/content`
    const shown = pages.map(each => ({ ...each, location }))

    items.push({
      id,
      title: space.title,
      pages: await presentFound(ctx.store, shown, terms, signal),
    })
  }

  return { ...envelope(page, items), count: found.length }
}

const isAfter = ([rank, number]: [number, number], [lastRank, last]: [number, number]): boolean =>
  rank > lastRank || (rank === lastRank && number > last)
