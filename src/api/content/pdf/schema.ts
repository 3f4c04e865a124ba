import { z } from 'zod'
import { QueryFlag } from '../../../http/list.ts'

export const PrintQuery = z.strictObject({
  page: z.string().min(1).max(100).optional().meta({
    description:
      'The id of a page. Prints this page and the pages below it; without it, all pages of the tree.',
  }),
  only: QueryFlag.optional().meta({
    description: 'true: print only the page `page`, without the pages below it.',
  }),
})

export const PrintAddress = z
  .object({
    url: z.url().meta({
      description:
        'The address of the PDF. It needs no authorization header and is valid for an hour.',
    }),
  })
  .meta({ id: 'PrintAddress', description: 'Where a PDF is downloaded.' })
