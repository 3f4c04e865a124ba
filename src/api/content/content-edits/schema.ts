import { z } from 'zod'
import { QueryFlag } from '../../../http/list.ts'
import { lineOfText, WebAddress } from '../../../lib/line-of-text.ts'

const Id = z.string().min(1).max(100)
const Ref = z
  .string()
  .regex(/^[A-Za-z0-9][\w.-]{0,99}$/, 'takes up to 100 letters, digits, dots, "-" and "_"')
  .meta({
    description:
      'A temporary name. Other changes of the same request can use it in place of the id, and texts can link to the page as `./<ref>.md`, to a file as `./<ref>`.',
  })
const Revision = z.string().regex(/^[0-9a-f]{40}$/, 'takes the 40 hex digits of a revision')
const Title = lineOfText(1, 300)
const At = z.int().min(0).meta({
  description:
    'The position among the siblings, starting at 0. A number larger than the count means the end.',
})
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
  emoji: lineOfText(0, 50).optional().meta({ description: 'The emoji; an empty text removes it.' }),
  icon: lineOfText(0, 50)
    .optional()
    .meta({ description: 'The name of an icon; an empty text removes it.' }),
  description: z.union([text(5000), z.null()]).optional(),
  hidden: z.boolean().optional(),
  noIndex: z.boolean().optional(),
  noRobotsIndex: z.boolean().optional(),
  condition: text(1024).optional().meta({
    description:
      'An expression over `visitor.claims`: readers see the page while it is true. An empty text removes it.',
  }),
}

const placement = { into: Into.optional(), at: At.optional() }

const BaseRevision = Revision.optional().meta({
  description:
    'The revision that you have edited. If the page has changed since, both edits are merged. If both changed the same lines, the answer is a 409 with the text of the other edit.',
})

const relinks = {
  rewriteLinks: z.boolean().optional().meta({
    description: 'Whether links to the page or file are updated to the new path. Default: true.',
  }),
}

const removal = {
  rewriteLinks: z.boolean().optional().meta({
    description:
      'With true, links to what is deleted are replaced by their text: an image by its description; a block that consists of the link alone is removed. Link definitions, HTML attributes, front matter and lines of the table of contents stay unchanged. Default: false, which leaves all links unchanged and broken.',
  }),
  replaceWith: Id.optional().meta({
    description:
      'The id or `ref` of a page or file. Links and redirects to what is deleted lead there instead.',
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
          'With true, the former addresses of the page and its subpages redirect to the new ones. The redirects are written to `redirects` in `.gitbook.yaml`.',
      }),
    }),
    z.strictObject({
      operation: z.literal('delete_page'),
      page: Id,
      baseRevision: BaseRevision,
      ...removal,
      redirect: z.boolean().optional().meta({
        description:
          'With true, the addresses of the page and its subpages redirect to the page in `replaceWith`.',
      }),
    }),
    z.strictObject({
      operation: z.literal('revert_page'),
      page: Id,
      revision: Revision.optional().meta({
        description:
          'The revision from which the page is restored. Default in a change request: the revision of the primary content where it began.',
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
      'One change of an edit. `operation` is the kind of change, which decides on the other properties.',
    sentences: {
      'document.markdown': 'The text in Markdown, with front matter if there is any.',
      'document.document': 'The text as a tree of blocks; it is stored as Markdown.',
      title: 'The name in the table of contents.',
      description: 'The sentence below the title, for readers and search engines; null removes it.',
      hidden:
        'true leaves the page out of the navigation. Readers can still open its address and find it with the search.',
      noIndex: 'true keeps the page out of the search of sites and of search engines.',
      noRobotsIndex: 'true keeps the page out of search engines.',
      page: 'The id of the page or group, or a `ref` of the same request.',
      block: 'Not supported: a page is reverted as a whole.',
      files: 'The files to add, 1 to 20.',
      'files.name':
        'The name of the file with its extension. If the name is in use, a number is added.',
      'files.contentType': 'The media type. Required with `base64`.',
      'files.url': 'An address from which the server fetches the file.',
      'files.base64': 'The bytes of the file in base64, up to 1 MB.',
      slug: 'The last segment of its address, unique among its siblings.',
      url: 'The address that the entry leads to: http, https or mailto.',
      target: 'The page or file that the entry leads to.',
      'target.page': 'The id of the page, or a `ref` of the same request.',
      'target.anchor': 'The anchor of a heading on the page.',
      'target.file': 'The id of the file, or a `ref` of the same request.',
      file: 'The id of the file.',
      name: 'The new name of the file with its extension.',
    },
  })

export const ContentEdit = z.strictObject({
  changes: z
    .array(Change)
    .min(1)
    .max(50)
    .meta({ description: 'The changes, which are applied in order: all, or none.' }),
})

export const ContentEditQuery = z.strictObject({
  compat: QueryFlag.optional().meta({
    description:
      'With `true` (the default), the answer is the change request only; with `false`, it also lists the outcome for pages and files.',
  }),
})

export const PrimaryEditQuery = z.strictObject({
  compat: QueryFlag.optional().meta({
    description: 'Has no effect. It is accepted for clients that always send it.',
  }),
})
