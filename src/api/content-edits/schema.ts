import { z } from 'zod'
import { QueryFlag } from '../../http/list.ts'
import { ChangeRequest } from '../change-requests/schema.ts'
import { RevisionFile } from '../files/schema.ts'
import { lineOfText, WebAddress } from '../line-of-text.ts'

const Id = z.string().min(1).max(100)
const Ref = z
  .string()
  .regex(/^[A-Za-z0-9][\w.-]{0,99}$/, 'takes up to 100 letters, digits, dots, "-" and "_"')
  .meta({
    description: 'A name within the batch: other pages of it link to `./<ref>.md` (a file: `./<ref>`).',
  })
const Revision = z.string().regex(/^[0-9a-f]{40}$/, 'takes the 40 hex digits of a revision')
const Title = lineOfText(1, 300)
const At = z
  .int()
  .min(0)
  .meta({ description: 'Which place among its siblings, from 0; more than there are is the end.' })
const Into = z
  .union([Id, z.null()])
  .meta({ description: 'The page or group it goes below; null is the top.' })
const Slug = lineOfText(0, 100)

const text = (most: number) =>
  z
    .string()
    .max(most)
    .refine(
      value => !/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/.test(value),
      'takes no control characters',
    )

/** The shape that reading a block tree relies on; which kinds of blocks there are, reading tells. */
function isBlockTree(root: unknown): boolean {
  const queue: unknown[] = [root]
  for (let node = queue.pop(); node !== undefined; node = queue.pop()) {
    if (typeof node !== 'object' || node === null || Array.isArray(node)) return false
    const { type, data, nodes, fragments, leaves } = node as Record<string, unknown>
    if (type !== undefined && typeof type !== 'string') return false
    if (data !== undefined && (typeof data !== 'object' || data === null)) return false
    for (const list of [nodes, fragments]) {
      if (list === undefined) continue
      if (!Array.isArray(list)) return false
      queue.push(...list)
    }
    if (leaves !== undefined && !(Array.isArray(leaves) && leaves.every(isLeaf))) return false
  }
  return true
}

const isLeaf = (leaf: unknown): boolean => {
  if (typeof leaf !== 'object' || leaf === null) return false
  const { text, marks } = leaf as Record<string, unknown>
  if (text !== undefined && typeof text !== 'string') return false
  const named = (mark: unknown) => typeof (mark as { type?: unknown } | null)?.type === 'string'
  return marks === undefined || (Array.isArray(marks) && marks.every(named))
}

const Document = z
  .strictObject({
    markdown: z.string().max(10_000_000).optional(),
    document: z.record(z.string(), z.unknown()).refine(isBlockTree, 'is not a document of blocks').optional(),
  })
  .refine(
    ({ markdown, document }) => markdown === undefined || document === undefined,
    'takes "markdown" or "document", not both',
  )
  .meta({
    description:
      'Either `markdown` (with front matter, if the page has any), or `document`, a document of blocks; `{}` is an empty page.',
  })

const pageFields = {
  title: Title.optional(),
  slug: Slug.optional().meta({
    description: 'Unique among its siblings. Changing it renames the file, and links to the page follow.',
  }),
  emoji: lineOfText(0, 50).optional().meta({ description: "'' takes it away." }),
  icon: lineOfText(0, 50).optional().meta({ description: "'' takes it away." }),
  description: z.union([text(5000), z.null()]).optional(),
  hidden: z.boolean().optional(),
  noIndex: z.boolean().optional(),
  noRobotsIndex: z.boolean().optional(),
  condition: text(1024).optional().meta({ description: "'' takes it away." }),
}

const placement = { into: Into.optional(), at: At.optional() }

const BaseRevision = Revision.optional().meta({
  description:
    'The revision that you saw. When the page has changed since, both edits are merged; where both changed the same, the answer is a 409 with what others wrote.',
})

const relinks = {
  rewriteLinks: z.boolean().optional().meta({
    description: 'Links to it follow its new path, unless this is false.',
  }),
}

const removal = {
  rewriteLinks: z.boolean().optional().meta({
    description:
      'With true, of links to it and to what goes with it the words alone stay (an image: its description; a block that is nothing but the link goes). What cannot become words stays: definitions, attributes of HTML, front matter, lines of the table of contents. When not said, links stay as they are, and are broken then.',
  }),
  replaceWith: Id.optional().meta({
    description: 'What links to it, and redirects, lead to from now on (an id, or a `ref` of the batch).',
  }),
}

const NewFile = z
  .strictObject({
    name: z.string().min(1).max(256),
    ref: Ref.optional(),
    contentType: lineOfText(1, 200).optional(),
    url: WebAddress.optional(),
    base64: z
      .string()
      .min(1)
      .max(1_400_000, 'takes files of up to 1 MB')
      .regex(/^[A-Za-z0-9+/]+={0,2}$/, 'takes base64')
      .optional(),
  })
  .refine(
    file => (file.url === undefined) !== (file.base64 === undefined),
    'takes exactly one of "url" and "base64"',
  )
  .refine(
    file => file.base64 === undefined || file.contentType !== undefined,
    'takes "contentType" with "base64"',
  )

const Target = z.union([
  z.strictObject({ page: Id, anchor: lineOfText(1, 200).optional() }),
  z.strictObject({ file: Id }),
])

export const Change = z
  .discriminatedUnion('operation', [
    z.strictObject({
      operation: z.literal('insert_page'),
      document: Document,
      ref: Ref.optional(),
      ...placement,
      ...pageFields,
    }),
    z.strictObject({
      operation: z.literal('update_page'),
      page: Id,
      document: Document.optional(),
      ...placement,
      ...pageFields,
      baseRevision: BaseRevision,
      ...relinks,
      redirect: z.boolean().optional().meta({
        description:
          'With true, its address and those of the pages below it lead on where they change: lines in the "redirects" of `.gitbook.yaml`.',
      }),
    }),
    z.strictObject({
      operation: z.literal('delete_page'),
      page: Id,
      baseRevision: BaseRevision,
      ...removal,
      redirect: z.boolean().optional().meta({
        description:
          'With true, its address and those of the pages below it lead to the page that `replaceWith` names.',
      }),
    }),
    z.strictObject({
      operation: z.literal('revert_page'),
      page: Id,
      revision: Revision.optional().meta({
        description: 'For a change request, when not said: where it left the primary content.',
      }),
      block: z
        .unknown()
        .optional()
        .refine(
          value => value === undefined,
          'cannot be reverted alone: Markdown has no block keys. Leave "block" out',
        ),
    }),
    z.strictObject({ operation: z.literal('insert_files'), files: z.array(NewFile).min(1).max(20) }),
    z.strictObject({
      operation: z.literal('insert_group'),
      title: Title,
      slug: Slug.optional(),
      at: At.optional(),
      ref: Ref.optional(),
    }),
    z
      .strictObject({
        operation: z.literal('insert_link'),
        title: Title,
        url: z
          .url({ protocol: /^(?:https?|mailto)$/ })
          .max(2048)
          .optional(),
        target: Target.optional(),
        ...placement,
      })
      .refine(
        link => (link.url === undefined) !== (link.target === undefined),
        'takes exactly one of "url" and "target"',
      ),
    z.strictObject({
      operation: z.literal('update_group'),
      page: Id,
      title: Title.optional(),
      slug: Slug.optional(),
      at: At.optional(),
    }),
    z.strictObject({ operation: z.literal('delete_file'), file: Id, ...removal }),
    z.strictObject({
      operation: z.literal('rename_file'),
      file: Id,
      name: z.string().min(1).max(256),
      ...relinks,
    }),
    z.strictObject({
      operation: z.literal('set_variables'),
      variables: z
        .record(
          z
            .string()
            .regex(/^[A-Za-z][A-Za-z0-9_]*$/)
            .max(100),
          z.union([text(256), z.number(), z.boolean()]),
        )
        .meta({ description: 'All variables of the space: those that are not named go.' }),
    }),
  ])
  .meta({ id: 'ContentChange' })

export const ContentEdit = z.strictObject({
  changes: z.array(Change).min(1).max(50).meta({ description: 'In order; all of them or none.' }),
})

export const ContentEditQuery = z.strictObject({
  compat: QueryFlag.optional().meta({
    description:
      'With `true` (the default) the answer is the change request alone; with `false` it also lists what became of pages and files.',
  }),
})

export const PrimaryEditQuery = z.strictObject({
  compat: QueryFlag.optional().meta({
    description:
      'Accepted for clients that send it to every edit; the answer always lists what became of pages and files.',
  }),
})

const PagePointer = z.object({
  object: z.literal('page'),
  id: z.string(),
  urls: z.object({ location: z.string() }),
})

const Outcome = z
  .discriminatedUnion('object', [
    z.object({ object: z.literal('created_page'), ref: z.string().optional(), page: PagePointer }),
    z.object({ object: z.literal('updated_page'), page: PagePointer }),
    z.object({ object: z.literal('deleted_page'), page: z.string() }),
  ])
  .meta({ id: 'ContentChangeOutcome' })

const outcomes = { changes: z.array(Outcome), insertedFiles: z.array(RevisionFile).optional() }

export const ChangeRequestEdited = z.union([
  z.object({ changeRequest: ChangeRequest, ...outcomes }),
  ChangeRequest,
])

export const PrimaryEdited = z.object({ revision: z.string(), ...outcomes }).meta({ id: 'ContentEdited' })
