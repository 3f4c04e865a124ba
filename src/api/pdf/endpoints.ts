import { type ContentGrant, changeRequestContent, primaryContent } from '../../access/guards/content.ts'
import type { SpaceGrant } from '../../access/guards/space.ts'
import { findBook } from '../../actions/print/print-book.ts'
import type { PrintWish } from '../../actions/print/print-pages.ts'
import { printPdf } from '../../actions/print/print-pdf.ts'
import type { Context } from '../../context.ts'
import { endpoint } from '../../http/endpoint.ts'
import { openContent } from '../content/open-content.ts'
import { changeRequestPaths, spacePaths } from '../content/schema.ts'
import { printAddress } from './address.ts'
import { nameOfBook } from './name.ts'
import { PrintAddress, PrintQuery } from './schema.ts'

type Asked = ContentGrant & SpaceGrant & { ctx: Context; query: PrintWish }

const readPrint = {
  query: PrintQuery,
  reply: PrintAddress,
  description:
    'Starts making the PDF and returns its address, which responds as soon as the PDF is ready. The address needs no authorization header. It is valid for an hour, while the user who requested it has read access to the space. A PDF has at most 500 pages. Hidden pages and the pages below them are left out, unless `page` names one.',
  handle: async (asked: Asked) => {
    const { ctx, space, user, query } = asked
    const open = await openContent(ctx, asked)
    const book = await findBook(ctx, open, query)
    // The address waits for the PDF and reports errors.
    printPdf(ctx, book, user.id).catch(() => {})
    const { view } = open
    const url = printAddress(ctx, {
      spaceId: space.id,
      revision: view.oid,
      userId: user.id,
      wish: query,
      name: nameOfBook(book),
    })
    return { url }
  },
}

export const getSpacePDF = endpoint({
  operationId: 'getSpacePDF',
  summary: 'Get the address of the content of a space as a PDF',
  params: spacePaths.scope,
  access: primaryContent,
  ...readPrint,
})

export const getChangeRequestPDF = endpoint({
  operationId: 'getChangeRequestPDF',
  summary: 'Get the address of the content of a change request as a PDF',
  params: changeRequestPaths.scope,
  access: changeRequestContent,
  ...readPrint,
})
