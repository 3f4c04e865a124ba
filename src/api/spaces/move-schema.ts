import { z } from 'zod'

const Pointer = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('space'),
    space: z.string().meta({ description: 'The id of the space.' }),
  }),
  z.strictObject({
    type: z.literal('collection'),
    collection: z.string().meta({ description: 'The id of the collection.' }),
  }),
])

/** The destination of a space or a collection. */
export const MoveBody = z
  .strictObject({
    parent: z.string().nullable().optional().meta({
      description:
        'The id of the new parent collection; null for the top level. Default: the current parent.',
    }),
    position: z
      .strictObject({
        before: Pointer.optional().meta({ description: 'The item before which it is placed.' }),
        after: Pointer.optional().meta({ description: 'The item after which it is placed.' }),
      })
      .optional()
      .meta({
        description: 'The position relative to a space or collection there. Default: the end.',
      }),
  })
  .refine(body => Object.keys(body).length > 0, 'takes "parent", "position" or both')

export const TransferBody = z.strictObject({
  organization: z.string().meta({ description: 'The id of the new organization.' }),
})
