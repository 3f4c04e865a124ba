import { z } from 'zod'
import { ChangeRequestPath } from '../../../base/paths-schema.ts'

export const PreviewLinkPath = ChangeRequestPath.extend({ previewLinkId: z.string() })

/** For how many days a link is good by default, and at most. */
const usualDays = 14
const mostDays = 90

export const PreviewLink = z
  .object({
    object: z.literal('preview-link'),
    id: z.string(),
    site: z.string().meta({ description: 'The id of the site that shows the change request.' }),
    space: z.string().meta({ description: 'The id of the space of the change request.' }),
    changeRequest: z.string().meta({ description: 'The id of the change request.' }),
    createdBy: z.string().meta({ description: 'The id of the user who created it.' }),
    createdAt: z.string(),
    expiresAt: z.string(),
    url: z.string().optional().meta({
      description: 'The address, only in the answer to its creation: it contains the key.',
    }),
  })
  .meta({
    id: 'PreviewLink',
    description: 'An address that shows one change request on a site to everyone who has it.',
  })

export const PreviewLinkBody = z.strictObject({
  site: z.string().max(200).optional().meta({
    description: 'The id of a site that shows the space. Default: the oldest one.',
  }),
  days: z
    .int()
    .min(1)
    .max(mostDays)
    .default(usualDays)
    .meta({ description: `After how many days the address ends. Default: ${usualDays}.` }),
})
