import { z } from 'zod'

export const SpacePath = z.object({ spaceId: z.string() })

export const ChangeRequestPath = SpacePath.extend({
  changeRequestId: z
    .string()
    .meta({ description: 'The id of the change request, or its number in the space.' }),
})
