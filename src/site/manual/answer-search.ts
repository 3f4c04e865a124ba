import type { Request } from 'express'
import type { Context } from '../../context.ts'
import { queryOf } from '../../ui/serving/redirect.ts'
import { readSearch, searchHtml } from '../pages/search/answer-search.ts'
import { madeHtml, type SiteResponse } from '../sending/made.ts'
import type { SearchFilter } from '../views/model.ts'
import { docsPath, pagePath } from './addresses.ts'
import { bookFrame } from './frame.ts'
import type { Books } from './open-books.ts'
import { searchShelf } from './search.ts'

/** Answers with what a search of the books finds: a page, or with `part=1` the list for the dialog. */
export async function answerSearch(
  ctx: Context,
  books: Books,
  req: Request,
): Promise<SiteResponse> {
  const { query, isPart, limit } = readSearch({ q: queryOf(req, 'q'), part: queryOf(req, 'part') })
  const scope = queryOf(req, 'in') ?? ''
  const both = [books.reference, ...(books.manual ? [books.manual] : [])]
  const only = both.find(({ name }) => name === scope)
  const shelf = books.shelf().filter(({ book }) => !only || book === only)
  const { hits, count, without } = searchShelf(shelf, query, limit, (book, node) =>
    pagePath(ctx, book, node),
  )
  const frame = await bookFrame(ctx, books, only)
  const addressOf = (name: string): string =>
    `${docsPath(ctx)}~search?${new URLSearchParams({ q: query, ...(name && { in: name }) })}`
  const filters: SearchFilter[] = [
    { title: frame.words.searchEverywhere, href: addressOf(''), current: !only },
    ...both.map(({ name, title }) => ({
      title,
      href: addressOf(name),
      current: only?.name === name,
    })),
  ]

  return madeHtml(
    searchHtml(frame, isPart, {
      query,
      hits,
      count,
      without,
      more: count > hits.length,
      scope: only?.name ?? '',
      all: addressOf(only?.name ?? ''),
      filters: both.length > 1 ? [filters] : [],
      nav: [],
    }),
    { 'X-Robots-Tag': 'noindex' },
  )
}
