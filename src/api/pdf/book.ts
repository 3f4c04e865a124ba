import type { PublishedGrant } from '../../access/guards/content.ts'
import { findBook, type PrintSubject } from '../../actions/print/print-book.ts'
import type { PrintWish } from '../../actions/print/print-pages.ts'
import type { RevisionView } from '../../content/tree/view.ts'
import type { Context } from '../../context.ts'
import { openContent } from '../content/open-content.ts'

/** Returns the requested book of the content that a guard granted; of what a reader is shown, for a reader. */
export async function openBook(
  ctx: Context,
  granted: PublishedGrant,
  wish: PrintWish,
): Promise<{ book: PrintSubject; view: RevisionView }> {
  const isReader = granted.reader !== undefined
  const open = await openContent(ctx, granted, { computed: isReader, files: isReader })
  const { audience, shown, view } = open
  return { book: await findBook(ctx, open, wish, audience && { audience, shown }), view }
}

/** Returns the id by which the PDFs of a caller are limited: all readers of a site share theirs. */
export const callerIdOf = ({ user, reader }: Pick<PublishedGrant, 'user' | 'reader'>): string =>
  reader ? `site ${reader.site.id}` : (user?.id ?? '')
