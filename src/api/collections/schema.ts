import { z } from 'zod'
import { listOf, PageQuery, QueryFlag } from '../../http/list.ts'
import { lineOfText } from '../line-of-text.ts'
import { RoleName } from '../organizations/schema.ts'

export const CollectionPath = z.object({ collectionId: z.string() })

export const Level = z.union([RoleName, z.literal('inherit'), z.null()]).meta({
  description:
    'What members of the organization may do here: a role, null for nothing, or "inherit" for what the collection around it says, or else what each member’s role in the organization allows.',
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
    description: 'With false, only the collections that lie in no other; true when not said.',
  }),
})

export const CollectionBody = z.strictObject({
  title: lineOfText(1, 50).optional().meta({ description: '"Untitled" when not said.' }),
  parent: z.string().optional().meta({ description: 'The collection it shall lie in (an id).' }),
})

export const CollectionPatch = z.strictObject({
  title: lineOfText(1, 50).optional(),
  description: lineOfText(0, 100).optional().meta({ description: 'An empty text takes it away.' }),
  defaultLevel: Level.optional(),
})

const Pointer = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('space'), space: z.string() }),
  z.strictObject({ type: z.literal('collection'), collection: z.string() }),
])

/** Where to put a space or a collection. */
export const MoveBody = z
  .strictObject({
    parent: z.string().nullable().optional().meta({
      description: 'The collection to move into (an id); null: the top; the same one, when not said.',
    }),
    position: z
      .strictObject({ before: Pointer.optional(), after: Pointer.optional() })
      .optional()
      .meta({ description: 'Beside which space or collection that lies there; the end, when not said.' }),
  })
  .refine(body => Object.keys(body).length > 0, 'takes "parent", "position" or both')

export const TransferBody = z.strictObject({
  organization: z.string().meta({ description: 'The organization to give it to (an id).' }),
})
