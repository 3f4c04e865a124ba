import { z } from 'zod'
import { QueryFlag } from '../../../http/list.ts'
import { lineOfText, WebAddress } from '../../../lib/line-of-text.ts'

const Id = z.string().min(1).max(100)
const Ref = z
  .string()
  .regex(/^[A-Za-z0-9][\w.-]{0,99}$/, 'takes up to 100 letters, digits, dots, "-" and "_"')
  .meta({
    description:
      'A name within the batch: other pages of the batch link to it as `./<ref>.md` (a file: `./<ref>`).',
  })
const Revision = z.string().regex(/^[0-9a-f]{40}$/, 'takes the 40 hex digits of a revision')
const Title = lineOfText(1, 300)
const At = z
  .int()
  .min(0)
  .meta({ description: 'The index among its siblings, from 0; a larger index means the end.' })
const Into = z
  .union([Id, z.null()])
  .meta({ description: 'The parent page or group; null for the top level.' })
const Slug = lineOfText(0, 100)

const text = (most: number) =>
  z
    .string()
    .max(most)
    .refine(
      value => !/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/.test(value),
      'takes no control characters',
    )

/**
 * Returns whether a value has the shape that reading a block tree relies on; the reader checks the
 * kinds of blocks.
 */
function isBlockTree(root: unknown): boolean {
  const queue: unknown[] = [root]
  for (let node = queue.pop(); node !== undefined; node = queue.pop()) {
    if (!isObject(node) || Array.isArray(node)) return false
    const { type, data, nodes, fragments, leaves } = node
    if (type !== undefined && typeof type !== 'string') return false
    if (data !== undefined && !isObject(data)) return false

    for (const list of [nodes, fragments]) {
      if (list === undefined) continue
      if (!Array.isArray(list)) return false
      queue.push(...list)
    }

    if (leaves !== undefined && !(Array.isArray(leaves) && leaves.every(isLeaf))) return false
  }

  return true
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null

function isLeaf(leaf: unknown): boolean {
  if (!isObject(leaf)) return false
  const { text, marks } = leaf
  if (text !== undefined && typeof text !== 'string') return false
  const named = (mark: unknown) => typeof (mark as { type?: unknown } | null)?.type === 'string'
  return marks === undefined || (Array.isArray(marks) && marks.every(named))
}

const Document = z
  .strictObject({
    markdown: z.string().max(10_000_000).optional(),
    document: z
      .record(z.string(), z.unknown())
      .refine(isBlockTree, 'is not a document of blocks')
      .optional(),
  })
  .refine(
    ({ markdown, document }) => markdown === undefined || document === undefined,
    'takes "markdown" or "document", not both',
  )
  .meta({
    description:
      'Either `markdown` (including front matter, if any) or `document`, a document of blocks; `{}` is an empty page.',
  })

const pageFields = {
  title: Title.optional(),
  slug: Slug.optional().meta({
    description:
      'Unique among its siblings. Changing it renames the file and updates links to the page.',
  }),
  emoji: lineOfText(0, 50).optional().meta({ description: "'' removes it." }),
  icon: lineOfText(0, 50).optional().meta({ description: "'' removes it." }),
  description: z.union([text(5000), z.null()]).optional(),
  hidden: z.boolean().optional(),
  noIndex: z.boolean().optional(),
  noRobotsIndex: z.boolean().optional(),
  condition: text(1024).optional().meta({ description: "'' removes it." }),
}

const placement = { into: Into.optional(), at: At.optional() }

const BaseRevision = Revision.optional().meta({
  description:
    'The revision that you have seen. If the page has changed since, both edits are merged; if both changed the same part, the answer is a 409 with the text of the other edit.',
})

const relinks = {
  rewriteLinks: z.boolean().optional().meta({
    description: 'Links to it are updated to its new path, unless this is false.',
  }),
}

const removal = {
  rewriteLinks: z.boolean().optional().meta({
    description:
      'With true, links to it and to everything deleted with it are replaced by their text (an image by its description; a block that consists only of the link is removed). Links that cannot become text stay: definitions, HTML attributes, front matter, lines of the table of contents. By default links stay unchanged and are broken.',
  }),
  replaceWith: Id.optional().meta({
    description: 'The new target of links and redirects to it (an id, or a `ref` of the batch).',
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
    upload: z.string().max(512).optional().meta({
      description:
        'The `key` of a file whose bytes were sent to the address from `generateStorageUploadURL`.',
    }),
  })
  .refine(
    ({ url, base64, upload }) =>
      [url, base64, upload].filter(way => way !== undefined).length === 1,
    'takes exactly one of "url", "base64" and "upload"',
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
          'With true, its URL and those of the pages below it redirect to the new ones where they change: lines in the "redirects" of `.gitbook.yaml`.',
      }),
    }),
    z.strictObject({
      operation: z.literal('delete_page'),
      page: Id,
      baseRevision: BaseRevision,
      ...removal,
      redirect: z.boolean().optional().meta({
        description:
          'With true, its URL and those of the pages below it redirect to the page in `replaceWith`.',
      }),
    }),
    z.strictObject({
      operation: z.literal('revert_page'),
      page: Id,
      revision: Revision.optional().meta({
        description:
          'Default for a change request: the revision where it branched off the primary content.',
      }),
      block: z
        .unknown()
        .optional()
        .refine(
          value => value === undefined,
          'cannot be reverted separately, because Markdown has no block keys; leave "block" out',
        ),
    }),
    z.strictObject({
      operation: z.literal('insert_files'),
      files: z.array(NewFile).min(1).max(20),
    }),
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
        .meta({ description: 'All variables of the space; omitted ones are removed.' }),
    }),
  ])
  .meta({
    id: 'ContentChange',
    description:
      'One step of an edit. `operation` names the kind, and decides on the other fields.',
    sentences: {
      'document.markdown': 'The text in Markdown, with front matter if there is any.',
      'document.document': 'The text as a tree of blocks; it is stored as Markdown.',
      title: 'The name in the table of contents.',
      description: 'The sentence below the title, for readers and search engines; null removes it.',
      hidden:
        'true leaves the page out of navigation; its address and the search still lead to it.',
      noIndex: 'true keeps the page out of the search of sites and of search engines.',
      noRobotsIndex: 'true keeps the page out of search engines.',
      page: 'The id of the page or group, or a `ref` of the batch.',
      block: 'Not supported: a page is reverted as a whole.',
      files: 'The files to add, 1 to 20.',
      'files.name': 'The name of the file with its ending. A name that is taken gets a number.',
      'files.contentType': 'The media type, which `base64` needs.',
      'files.url': 'An address from which the server fetches the file.',
      'files.base64': 'The bytes of the file in base64, up to 1 MB.',
      slug: 'The last segment of its address, unique among its siblings.',
      url: 'The address that the entry leads to: http, https or mailto.',
      target: 'The page or file that the entry leads to.',
      'target.page': 'The id of the page, or a `ref` of the batch.',
      'target.anchor': 'The anchor of a heading on the page.',
      'target.file': 'The id of the file, or a `ref` of the batch.',
      file: 'The id of the file.',
      name: 'The new name of the file with its ending.',
    },
  })

export const ContentEdit = z.strictObject({
  changes: z.array(Change).min(1).max(50).meta({ description: 'Applied in order and atomically.' }),
})

export const ContentEditQuery = z.strictObject({
  compat: QueryFlag.optional().meta({
    description:
      'With `true` (the default), the answer is the change request only; with `false`, it also lists the outcome for pages and files.',
  }),
})

export const PrimaryEditQuery = z.strictObject({
  compat: QueryFlag.optional().meta({
    description:
      'Accepted for compatibility with clients that always send it; the answer always lists the outcome for pages and files.',
  }),
})
