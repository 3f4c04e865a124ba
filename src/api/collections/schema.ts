import { z } from 'zod'
import { listOf, PageQuery, QueryFlag } from '../../http/list.ts'
import { lineOfText } from '../../lib/line-of-text.ts'
import { RoleName } from '../organizations/schema.ts'

export const CollectionPath = z.object({ collectionId: z.string() })

export const Level = z.union([RoleName, z.literal('inherit'), z.null()]).meta({
  description:
    'The default role of members of the organization: a role, null for none, or "inherit" for the level of the parent collection, and at the top level for each member’s role in the organization.',
})

export const Collection = z
  .object({
    object: z.literal('collection'),
    id: z.string(),
    title: z.string(),
    description: z.string().optional(),
    organization: z.string(),
    parent: z.string().optional(),
    defaultLevel: Level,
    urls: z.object({ location: z.string(), app: z.string() }),
    permissions: z.object({
      view: z.boolean(),
      admin: z.boolean(),
      viewInviteLinks: z.boolean(),
      create: z.boolean(),
    }),
  })
  .meta({ id: 'Collection' })

export const Collections = listOf(Collection)

export const CollectionsQuery = PageQuery.extend({
  nested: QueryFlag.optional().meta({
    description: 'With false, only the collections at the top level. Default: true.',
  }),
})

export const CollectionBody = z.strictObject({
  title: lineOfText(1, 50).optional().meta({ description: 'Default: "Untitled".' }),
  parent: z.string().optional().meta({ description: 'The id of the parent collection.' }),
})

export const CollectionPatch = z.strictObject({
  title: lineOfText(1, 50).optional(),
  description: lineOfText(0, 100).optional().meta({ description: 'An empty string removes it.' }),
  defaultLevel: Level.optional(),
})

const Pointer = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('space'), space: z.string() }),
  z.strictObject({ type: z.literal('collection'), collection: z.string() }),
])

/** The destination of a space or a collection. */
export const MoveBody = z
  .strictObject({
    parent: z.string().nullable().optional().meta({
      description:
        'The id of the new parent collection; null for the top level. Default: the current parent.',
    }),
    position: z
      .strictObject({ before: Pointer.optional(), after: Pointer.optional() })
      .optional()
      .meta({
        description: 'The position relative to a space or collection there. Default: the end.',
      }),
  })
  .refine(body => Object.keys(body).length > 0, 'takes "parent", "position" or both')

export const TransferBody = z.strictObject({
  organization: z.string().meta({ description: 'The id of the new organization.' }),
})
