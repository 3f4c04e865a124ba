import { z } from 'zod'
import { self } from '../../access/guards/self.ts'
import { findSpacesWith, visibleNumbers } from '../../actions/audience/finding/find-spaces.ts'
import { searchWords } from '../../actions/audience/finding/search-words.ts'
import { findSpaces } from '../../store/spaces/spaces.ts'
import { page } from '../frame/page.ts'
import { organizationsOf } from '../home/visible-spaces.ts'
import { A } from '../parts/link.tsx'
import { Empty, Row, Rows, Section } from '../parts/pieces.tsx'

/** The most spaces that are listed; of each, at most ten pages are found. */
const mostSpaces = 20

/** The most characters of a query, as in the API. */
const longest = 512

type FoundPages = {
  id: string
  title: string
  pages: { id: string; title: string; path: string }[]
}

export const searchPage = page({
  path: '/search',
  scope: undefined,
  access: self,
  query: z.object({ q: z.string().max(longest, `takes up to ${longest} characters`).default('') }),
  load: async ({ ctx, actor, me, query, request: { signal } }) => {
    if (query.q.trim() === '') return { spaces: [], suggestion: undefined }
    const spaces: FoundPages[] = []
    let suggestion: string | undefined

    for (const { organization, admitted } of organizationsOf(ctx, actor)) {
      const who = { organizationId: organization.id, userId: me.id }
      const numbers = visibleNumbers(admitted, who)
      const found = await searchWords(admitted, {
        query: query.q,
        signal,
        find: async wanted =>
          wanted.terms.length === 0 ? [] : findSpacesWith(ctx.store, numbers, wanted),
        pagesOf: rows => rows[0]?.pages ?? [],
      })
      suggestion ??= found.suggestion
      const rows = found.result.slice(0, mostSpaces)
      const named = findSpaces(
        ctx.store,
        rows.map(({ id }) => id),
      )
      for (const { id, pages } of rows)
        spaces.push({
          id,
          title: named.get(id)?.title ?? id,
          pages: pages.map(({ row }) => ({ id: row.page_id, title: row.title, path: row.path })),
        })
    }

    return { spaces: spaces.slice(0, mostSpaces), suggestion }
  },
  view: ({ spaces, suggestion }, { query: { q } }) => ({
    title: q.trim() === '' ? 'Search' : `Search: ${q}`,
    width: 'wide',
    body: (
      <>
        {suggestion !== undefined && (
          <p>
            No page has all these words. Results for{' '}
            <A to={`/search?${new URLSearchParams({ q: suggestion })}`}>{suggestion}</A>:
          </p>
        )}
        {spaces.length === 0 && (
          <Empty>
            {q.trim() === ''
              ? 'Enter search terms in the field above.'
              : 'No page that you may read has these words.'}
          </Empty>
        )}
        {spaces.map(({ id, title, pages }) => (
          <Section title={title} id={`found-${id}`}>
            <Rows>
              {pages.map(each => (
                <Row to={`/s/${id}/p/${each.id}`} title={each.title} small={each.path} />
              ))}
            </Rows>
          </Section>
        ))}
      </>
    ),
  }),
})
