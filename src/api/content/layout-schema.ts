import { z } from 'zod'

export const PageLayout = z
  .object({
    width: z.enum(['default', 'wide']),
    cover: z.boolean(),
    coverSize: z.enum(['hero', 'full']),
    coverMask: z.enum(['none', 'radial']),
    title: z.boolean(),
    description: z.boolean(),
    tableOfContents: z.boolean(),
    outline: z.boolean(),
    pagination: z.boolean(),
    metadata: z.boolean(),
    tags: z.boolean(),
    actions: z.boolean(),
    anchors: z.boolean(),
  })
  .meta({
    id: 'PageLayout',
    description: 'Which parts of a page readers see.',
    sentences: {
      width: 'The width of the text.',
      cover: 'Whether the cover is shown.',
      coverSize: '`hero`: as wide as the text; `full`: as wide as the page.',
      coverMask: 'Whether the cover fades out.',
      title: 'Whether the title is shown.',
      description: 'Whether the description is shown.',
      tableOfContents: 'Whether the table of contents is shown beside the page.',
      outline: 'Whether the headings of the page are listed beside it.',
      pagination: 'Whether links to the previous and next page are shown.',
      metadata: 'Whether the time of the last change is shown.',
      tags: 'Whether tags are shown; there are none.',
      actions: 'Whether actions such as "Copy page" are shown.',
      anchors: 'Whether headings have links to themselves.',
    },
  })
