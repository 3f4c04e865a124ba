import { z } from 'zod'
import { queryCount } from '../../../http/list.ts'
import { PageLayout } from '../layout-schema.ts'
import { PageCover, Variables } from '../schema.ts'
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
  z.object({
    before: value.optional().meta({ description: 'The value before; left out if there was none.' }),
    after: value.optional().meta({ description: 'The value after; left out if there is none.' }),
  })
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
  .meta({
    id: 'SemanticChange',
    description:
      'One difference between two revisions, in terms of pages and files. `type` says what kind it is.',
    sentences: {
      type: 'What happened.',
      page: 'The page that differs; a deleted one as it was.',
      'page.id': 'The id of the page.',
      'page.type': 'What kind of entry it is.',
      'page.path': 'The path of the page; left out for entries without one.',
      attributes: 'What differs: only the attributes that changed.',
      'attributes.title': 'The change of the title.',
      'attributes.description': 'The change of the description.',
      'attributes.slug': 'The change of the slug.',
      'attributes.document': 'The change of the text.',
      'attributes.cover': 'The change of the cover.',
      'attributes.emoji': 'The change of the emoji.',
      'attributes.icon': 'The change of the icon.',
      'attributes.layout': 'The change of the layout.',
      'attributes.variables': 'The change of the variables of the page.',
      'attributes.hidden': 'The change of whether the page is hidden.',
      'attributes.noIndex': 'The change of whether searches leave it out.',
      'attributes.noRobotsIndex': 'The change of whether search engines leave it out.',
      'attributes.target': 'The change of the target of a link.',
      'attributes.name': 'The change of the name.',
      'attributes.path': 'The change of the path.',
      'attributes.downloadURL': 'The change of the address of the bytes.',
      'attributes.size': 'The change of the size in bytes.',
      'attributes.contentType': 'The change of the media type.',
      'attributes.dimensions': 'The change of the size of an image.',
      'attributes.target.before.kind': 'The target of the link.',
      'attributes.target.after.kind': 'The target of the link.',
      'attributes.dimensions.before.width': 'The width in pixels.',
      'attributes.dimensions.before.height': 'The height in pixels.',
      'attributes.dimensions.after.width': 'The width in pixels.',
      'attributes.dimensions.after.height': 'The height in pixels.',
      parent: 'The pages above it before and after the move.',
      'parent.before.type': 'What kind of entry it is.',
      'parent.before.path': 'The path of the page.',
      'parent.after.type': 'What kind of entry it is.',
      'parent.after.path': 'The path of the page.',
      file: 'The file that differs; a deleted one as it was.',
      'file.name': 'The name with its extension.',
      'file.contentType': 'The media type.',
      'file.downloadURL': 'The address to download it from.',
      variables: 'The variables of the space that changed, by name.',
      reusableContent: 'The text that differs; a deleted one as it was.',
    },
  })

export type Change = z.input<typeof Change>

export const Changes = z
  .object({
    mergedFrom: ChangeRequest.optional(),
    changes: z.array(Change),
    more: z.int().optional().meta({ description: 'The number of further changes.' }),
  })
  .meta({
    id: 'SemanticChanges',
    description: 'The differences between two revisions.',
    sentences: {
      mergedFrom: 'The change request whose merge made the revision, if one did.',
      changes: 'The differences, pages first.',
    },
  })
