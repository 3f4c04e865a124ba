import { z } from 'zod'
import { QueryFlag } from '../../../http/list.ts'
import { SitePath } from '../schema.ts'

export const SiteSpacePath = SitePath.extend({ siteSpaceId: z.string() })

export const CustomizationQuery = z.strictObject({
  unmasked: QueryFlag.optional().meta({
    description: 'Accepted for compatibility; has no effect.',
  }),
})
