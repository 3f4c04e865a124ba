import { z } from 'zod'
import { PageQuery, QuerySearch } from '../../../http/list.ts'
import { lineOfText } from '../../../lib/line-of-text.ts'
import { SitePath } from '../schema.ts'

export const ShareLinkPath = SitePath.extend({ shareLinkId: z.string() })

const ShareLinkName = lineOfText(0, 50).meta({
  description: 'A name, to distinguish it from other links.',
})

export const ShareLink = z
  .object({
    object: z.literal('share-link'),
    id: z.string(),
    name: z.string(),
    active: z.boolean(),
    createdAt: z.string(),
    urls: z.object({
      published: z.string().meta({
        description:
          'The address of the site with the key of the link. It works while the site is published with share links and the link is active.',
      }),
    }),
  })
  .meta({
    id: 'ShareLink',
    description: 'An address with a key that opens a site to everyone who has it.',
    sentences: {
      name: 'A name, to distinguish it from other links.',
      active: 'Whether it opens the site.',
    },
  })

export const ShareLinksQuery = PageQuery.extend({
  search: QuerySearch.optional().meta({
    description: 'A part of the name, ignoring case, or the key.',
  }),
})

export const ShareLinkBody = z.strictObject({ name: ShareLinkName })

export const ShareLinkPatch = z
  .strictObject({
    name: ShareLinkName.optional(),
    active: z
      .boolean()
      .optional()
      .meta({ description: 'false: the address no longer opens the site.' }),
  })
  .refine(
    body => body.name !== undefined || body.active !== undefined,
    'takes "name", "active" or both',
  )
