import type { Context } from '../../context.ts'
import { messageOf } from '../pages/message.ts'
import { madeHtml, type SiteResponse } from '../sending/made.ts'
import { renderPage } from '../views/render.tsx'
import { pagePath } from './addresses.ts'
import { bookFrame, navOfBook } from './frame.ts'
import type { Books } from './open-books.ts'
import { searchShelf } from './search.ts'

/** The number of pages that are offered for the words of a path. */
const mostHits = 5

/** Returns the page for a path that leads to no page of the books, with a search for its words. */
export async function nothingThere(
  ctx: Context,
  books: Books,
  path: string,
): Promise<SiteResponse> {
  const frame = await bookFrame(ctx, books, undefined)
  const query = path
    .slice(0, 200)
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
  const { hits, count } = searchShelf(books.shelf(), query, mostHits, (book, node) =>
    pagePath(ctx, book, node),
  )
  const page = messageOf({
    status: 404,
    title: frame.words.notFound,
    text: frame.words.notFoundText,
    nav: navOfBook(ctx, books.reference, undefined),
    query,
    ...(hits.length > 0 && { found: { query, hits, count, more: count > hits.length } }),
  })

  return madeHtml(
    renderPage(frame, page),
    { 'Cache-Control': 'no-store', 'X-Robots-Tag': 'noindex' },
    404,
  )
}
