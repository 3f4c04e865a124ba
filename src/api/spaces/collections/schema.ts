import { z } from 'zod'
import { PageQuery, QueryFlag } from '../../../http/list.ts'
import { lineOfText } from '../../../lib/line-of-text.ts'
import { Level } from '../../base/organizations/schema.ts'

export const CollectionPath = z.object({ collectionId: z.string() })

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
  .meta({
    id: 'Collection',
    description: 'A folder of spaces and other collections in an organization.',
    sentences: {
      description: 'The purpose in a few words; left out without one.',
      parent: 'The id of the collection that contains it; left out at the top level.',
    },
  })

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
