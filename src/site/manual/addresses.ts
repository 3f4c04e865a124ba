import type { PageNode } from '../../content/tree/build.ts'
import { addressOfPage } from '../../content/tree/page-address.ts'
import type { Context } from '../../context.ts'
import { serverPath } from '../../ui/serving/server-path.ts'
import type { Book } from './book.ts'

/** The path of the folder of the manual below that of the reference. */
export const manualFolder = 'manual/'

/** Returns the path of the reference on the host of the server, with a slash at its end. */
export const docsPath = (ctx: Pick<Context, 'publicUrl'>): string => `${serverPath(ctx)}docs/`

/** Returns the path of a book on the host of the server, with a slash at its end. */
export const bookPath = (ctx: Pick<Context, 'publicUrl'>, { name }: Pick<Book, 'name'>): string =>
  docsPath(ctx) + (name === 'manual' ? manualFolder : '')

/** Returns the path of a page on the host of the server. */
export const pagePath = (ctx: Pick<Context, 'publicUrl'>, book: Book, node: PageNode): string =>
  addressOfPage(bookPath(ctx, book), book.content, node)
