import type { RequestFacts } from '../../../access/asker.ts'
import {
  changeRequestContent,
  type PublishedGrant,
  publishedContent,
  revisionContent,
} from '../../../access/guards/content.ts'
import { callerIdOf, openBook } from '../../../actions/audience/open-book.ts'
import { nameOfBook } from '../../../actions/print/name-of-book.ts'
import type { PrintWish } from '../../../actions/print/print-pages.ts'
import { printPdf } from '../../../actions/print/print-pdf.ts'
import type { Context } from '../../../context.ts'
import { endpoint } from '../../../http/endpoint.ts'
import { changeRequestPaths, revisionPaths, spacePaths } from '../schema.ts'
import { printAddress } from './address.ts'
import { PrintAddress, PrintQuery } from './schema.ts'

type PrintRequest = PublishedGrant & { ctx: Context; query: PrintWish; request: RequestFacts }

const readPrint = {
  query: PrintQuery,
  reply: PrintAddress,
  description:
    'Starts to make the PDF, and returns the address at which it can be downloaded. A request to the address waits until the PDF is ready; it needs no authorization header. The address is valid for one hour, as long as the user of this request may read the space. The address for a reading token is valid as long as the token is, and as long as the revision is the published one. A PDF contains at most 500 pages. Hidden pages and their subpages are left out, unless `page` is the id of one.',
  handle: async (asked: PrintRequest) => {
    const { ctx, space, query, request } = asked
    const { book, view } = await openBook(ctx, asked, query)
    const { reader } = asked

    // The address waits for the PDF and reports errors.
    printPdf(ctx, book, callerIdOf(asked)).catch(() => {})
    const url = printAddress(ctx, {
      spaceId: space.id,
      revision: view.oid,
      caller: reader
        ? { authorization: request.header('authorization') ?? '' }
        : { userId: asked.user.id },
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
  access: publishedContent,
  readers: true,
  ...readPrint,
})

export const getChangeRequestPDF = endpoint({
  operationId: 'getChangeRequestPDF',
  summary: 'Get the address of the content of a change request as a PDF',
  params: changeRequestPaths.scope,
  access: changeRequestContent,
  ...readPrint,
})

export const getRevisionPDF = endpoint({
  operationId: 'getRevisionPDF',
  summary: 'Get the address of the content of a revision as a PDF',
  params: revisionPaths.scope,
  access: revisionContent,
  ...readPrint,
})
