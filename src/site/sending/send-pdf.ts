import type { Request, Response } from 'express'
import { admitReader } from '../../access/reader.ts'
import { callerIdOf, openBook } from '../../actions/audience/open-book.ts'
import { notesHeader } from '../../actions/made-files/print-files.ts'
import { nameOfBook } from '../../actions/print/name-of-book.ts'
import { printPdf } from '../../actions/print/print-pdf.ts'
import { waitForPrint } from '../../actions/print/wait-for-print.ts'
import { isSpaceShown } from '../../actions/sites/view-for-reader.ts'
import { missing } from '../../errors.ts'
import { sendPdf } from '../../files/send-pdf.ts'
import type { Admit } from '../../http/limits/admission.ts'
import type { SitePlace } from '../place/place.ts'
import { settingsOf } from '../place/settings-of-place.ts'
import { placeHeaders } from './headers.ts'

/**
 * Sends the PDF of a space as its reader is shown it; of one page with `page`, its id. Throws
 * 'missing' while the settings turn PDF files off, and what printing throws.
 */
export async function sendPrint(
  place: SitePlace,
  req: Request,
  res: Response,
  { admit }: { admit: Admit },
): Promise<void> {
  if (!settingsOf(place).pdf.enabled) throw missing('PDF', 'of this space')
  const { ctx, open, reader, resolved, signal } = place
  const { page } = req.query
  const wish = typeof page === 'string' && page !== '' ? { page, only: true } : {}
  const granted = { space: open.space, reader, scope: { kind: 'space' } } as const
  const { book } = await admit(() => openBook(ctx, granted, wish))
  const print = await waitForPrint(printPdf(ctx, book, callerIdOf(granted), signal))

  // Access may have ended in the meantime.
  const now = admitReader(ctx, resolved.reading)
  if ('unusable' in now || !(await isSpaceShown(ctx, now, open.space.id)))
    throw missing('PDF', 'of this space')

  const headers = {
    ...placeHeaders(place),
    'X-Robots-Tag': 'noindex',
    ...notesHeader(print),
  }

  await sendPdf(req, res, { path: print.path, name: nameOfBook(book), headers })
}
