import type { z } from 'zod'
import type { Reader, RequestFacts } from '../../../access/asker.ts'
import { addressesInApp } from '../../../actions/app-addresses.ts'
import type { FoundSpace } from '../../../actions/audience/finding/find-spaces.ts'
import type { Evaluations } from '../../../actions/audience/finding/found-by-reader.ts'
import { searchWords } from '../../../actions/audience/finding/search-words.ts'
import { titlesInSpace } from '../../../actions/audience/finding/titles-of-links.ts'
import type { Wanted } from '../../../actions/audience/finding/turns.ts'
import { apiAddresses } from '../../../content/tree/browser-addresses.ts'
import type { Context } from '../../../context.ts'
import { answerList } from '../../../http/list.ts'
import { findSpaces } from '../../../store/spaces/spaces.ts'
import { placesOf, presentFound, scoreOf } from './present.ts'
import type { SearchSpaceResults } from './schema.ts'

type Item = z.input<typeof SearchSpaceResults>['items'][number]

type SpaceSearch = {
  /** Returns the spaces with pages that have all terms, best first. */
  find: (
    wanted: Wanted & Pick<RequestFacts, 'signal'>,
    evaluations: Evaluations,
  ) => Promise<FoundSpace[]>
  language?: string | null | undefined
  /** The name of the list for its cursors. */
  list: string
  query: { query: string; page?: string | undefined; limit?: number | undefined }
  /** The reader who asks, who has no session; undefined for a member. */
  reader?: Reader | undefined
  request: Pick<RequestFacts, 'signal'>
}

/** Answers with a list of the spaces that a search finds, with their pages. */
export async function answerSpaces(
  ctx: Context,
  { find, language, list, query, reader, request: { signal } }: SpaceSearch,
) {
  const {
    result: found,
    terms,
    suggestion,
    without,
  } = await searchWords(ctx, {
    query: query.query,
    language,
    signal,
    find: async (wanted, evaluations) =>
      wanted.terms.length === 0 ? [] : find(wanted, evaluations),
    pagesOf: spaces => spaces[0]?.pages ?? [],
  })
  const answered = await answerList(ctx, query, {
    name: list,
    rows: found,
    key: ({ rank, number }): [number, number] => [rank, number],
    show: async rows => {
      const spaces = findSpaces(
        ctx.store,
        rows.map(({ id }) => id),
      )
      const items: Item[] = []
      const places = placesOf(found.flatMap(({ pages }) => pages))

      for (const { id, pages } of rows) {
        const space = spaces.get(id)
        if (!space) continue
        const base = ctx.publicUrl()
        const app = reader
          ? apiAddresses(`${base}/v1/spaces/${id}/content`)
          : addressesInApp(base, id)
        const shown = pages.map(each => ({ ...each, app }))

        items.push({
          type: 'space',
          id,
          title: space.title,
          score: Math.max(...pages.map(scoreOf), 0),
          pages: await presentFound(ctx.store, shown, {
            places,
            terms,
            titles: () => titlesInSpace(ctx, space, { reader, signal }),
            signal,
          }),
        })
      }

      return items
    },
  })

  return {
    ...answered,
    ...(suggestion !== undefined && { suggestion }),
    ...(without.length > 0 && { without }),
  }
}
