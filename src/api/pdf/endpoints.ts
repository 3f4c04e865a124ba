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
    'The PDF is begun now, and its address sends it as soon as it is made. The address is for whoever asked: it works for an hour, without a header, and as long as they may read the space. At most 500 pages; hidden pages and those below them are left out, unless one is named as `page`.',
  handle: async (asked: Asked) => {
    const { ctx, space, user, query } = asked
    const open = await openContent(ctx, asked)
    const book = await findBook(ctx, open, query)
    // It is waited for at its address, which also says what goes wrong from here on.
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
