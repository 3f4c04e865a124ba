import { readManual } from '../../actions/manual/read-manual.ts'
import { stateSlot } from '../../caches.ts'
import { encodePath } from '../../content/tree/page-address.ts'
import type { Context } from '../../context.ts'
import type { ServerDocument } from '../../http/document/kept-document.ts'
import { docsPath } from './addresses.ts'
import { type Book, bookOfFiles, bookOfSpec } from './book.ts'
import { type Shelf, shelfOf } from './search.ts'

/**
 * What the pages below `/docs` show: the reference of the API and the manual, which is missing if the
 * program is installed without it.
 */
export type Books = {
  reference: Book
  manual: Book | undefined
  /** The texts of all pages, as a search reads them. */
  shelf: () => Shelf
}

const kept = stateSlot((): { document?: object; books?: Promise<Books> | undefined } => ({}))

/** Returns the books for a document of the API, which are made at the first call. */
export function openBooks(ctx: Context, documentOf: ServerDocument): Promise<Books> {
  const state = ctx.caches.get(kept)
  const document = documentOf()
  if (!state.books || state.document !== document) {
    state.document = document
    state.books = makeBooks(ctx, document)
    state.books.catch(() => {
      state.books = undefined
    })
  }
  return state.books
}

async function makeBooks(ctx: Context, document: object): Promise<Books> {
  const files = await readManual()
  const origin = new URL(ctx.publicUrl()).origin
  const reference = bookOfSpec(document, path => `${origin}${docsPath(ctx)}${encodePath(path)}`)
  const manual = files.size > 0 ? bookOfFiles(files) : undefined
  let shelf: Shelf | undefined

  return {
    reference,
    manual,
    shelf: () => {
      shelf ??= shelfOf(document, [reference, ...(manual ? [manual] : [])])
      return shelf
    },
  }
}
