import { z } from 'zod'
import { QueryFlag } from '../../http/list.ts'

export const PrintQuery = z.strictObject({
  page: z
    .string()
    .min(1)
    .max(100)
    .optional()
    .meta({ description: 'The id of a page: it and the pages below it. Without it all pages of the tree.' }),
  only: QueryFlag.optional().meta({ description: 'true: the page of `page` alone.' }),
})

export const PrintAddress = z
  .object({
    url: z.url().meta({
      description: 'The address of the PDF: it needs no header, and works for an hour.',
    }),
  })
  .meta({ id: 'PrintAddress' })
