import { z } from 'zod'
import { queryCount } from '../../../http/list.ts'
import { PageCover, PageLayout, Variables } from '../schema.ts'
import { ChangeRequest } from './schema.ts'

/** The maximum number of changes in one answer. */
export const mostChanges = 1000

export const ChangesQuery = z.strictObject({
  limit: queryCount(mostChanges)
    .optional()
    .meta({ description: `The number of changes, 1 to ${mostChanges}. Default: ${mostChanges}.` }),
  format: z.enum(['diff'], 'takes diff, or leave it out').optional().meta({
    description: 'With `diff`, the answer is a unified diff of the files, as text/x-diff.',
  }),
  metadata: z.enum(['true', 'false']).optional(),
  computed: z.enum(['true', 'false']).optional(),
})

const Page = z.object({
  id: z.string(),
  type: z.enum(['document', 'group', 'link', 'computed']),
  title: z.string(),
  path: z.string().optional(),
})
const File = z.object({
  id: z.string(),
  name: z.string(),
  contentType: z.string(),
  downloadURL: z.string(),
})
const Reusable = z.object({ id: z.string(), title: z.string() })

const change = <Value extends z.ZodType>(value: Value) =>
  z.object({ before: value.optional(), after: value.optional() })
const text = change(z.string()).optional()
const number = change(z.number()).optional()
const ContentRef = z.looseObject({ kind: z.string() })

const PageAttributes = z.object({
  title: text,
  description: text,
  slug: text,
  document: change(z.string().meta({ description: 'The blob that holds the text.' })).optional(),
  cover: change(PageCover).optional(),
  emoji: text,
  icon: text,
  layout: change(PageLayout).optional(),
  variables: change(Variables).optional(),
  hidden: change(z.boolean()).optional(),
  noIndex: change(z.boolean()).optional(),
  noRobotsIndex: change(z.boolean()).optional(),
  target: change(ContentRef).optional(),
})
const FileAttributes = z.object({
  name: text,
  path: text,
  downloadURL: text,
  size: number,
  contentType: text,
  dimensions: change(z.object({ width: z.number(), height: z.number() })).optional(),
})

export const Change = z
  .discriminatedUnion('type', [
    z.object({ type: z.enum(['page_created', 'page_deleted']), page: Page }),
    z.object({ type: z.literal('page_edited'), page: Page, attributes: PageAttributes }),
    z.object({ type: z.literal('page_moved'), page: Page, parent: change(Page) }),
    z.object({ type: z.enum(['file_created', 'file_deleted']), file: File }),
    z.object({ type: z.literal('file_edited'), file: File, attributes: FileAttributes }),
    z.object({
      type: z.literal('variables_edited'),
      variables: z.record(z.string(), change(z.union([z.string(), z.number(), z.boolean()]))),
    }),
    z.object({
      type: z.enum(['reusable_content_created', 'reusable_content_deleted']),
      reusableContent: Reusable,
    }),
    z.object({
      type: z.literal('reusable_content_edited'),
      reusableContent: Reusable,
      attributes: z.object({ title: text, document: text }),
    }),
  ])
  .meta({ id: 'SemanticChange' })

export type Change = z.input<typeof Change>

export const Changes = z
  .object({
    mergedFrom: ChangeRequest.optional(),
    changes: z.array(Change),
    more: z.int().optional().meta({ description: 'The number of further changes.' }),
  })
  .meta({ id: 'SemanticChanges' })
