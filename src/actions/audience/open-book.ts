import type { PublishedGrant } from '../../access/guards/content.ts'
import { effectiveSettings } from '../../content/customization/stored.ts'
import type { RevisionView } from '../../content/tree/view.ts'
import type { Context } from '../../context.ts'
import { Fault } from '../../errors.ts'
import { rememberedStructure } from '../../store/sites/structure.ts'
import type { SiteRow } from '../../store/tables/rows.ts'
import { findBook, type PrintSubject } from '../print/print-book.ts'
import type { PrintWish } from '../print/print-pages.ts'
import { openContent } from './open-content.ts'

/**
 * Returns the requested book of the content that a guard granted; of what a reader is shown, for a
 * reader. Throws 'forbidden' for a reader while the customization turns PDF files off.
 */
export async function openBook(
  ctx: Context,
  granted: PublishedGrant,
  wish: PrintWish,
): Promise<{ book: PrintSubject; view: RevisionView }> {
  const isReader = granted.reader !== undefined
  if (granted.reader && !offersPdf(ctx, granted.reader.site, granted.space.id))
    throw new Fault('feature_off', 'PDF files are turned off in the customization of this site.')
  const open = await openContent(ctx, granted, { computed: isReader, files: isReader })
  const { audience, shown, view } = open
  return { book: await findBook(ctx, open, wish, audience && { audience, shown }), view }
}

/** Returns whether the customization of a site lets its readers print a space. */
function offersPdf({ store }: Context, site: SiteRow, spaceId: string): boolean {
  const { siteSpaces } = rememberedStructure(store, site)
  const override = siteSpaces.find(({ space_id }) => space_id === spaceId)?.override ?? null
  return effectiveSettings(site.customization, override).pdf.enabled
}

/** Returns the id by which the PDFs of a caller are limited: all readers of a site share theirs. */
export const callerIdOf = ({ user, reader }: Pick<PublishedGrant, 'user' | 'reader'>): string =>
  reader ? `site ${reader.site.id}` : (user?.id ?? '')
