import { z } from 'zod'
import { CommentText } from '../../../actions/comments/comment-text.ts'
import { documentFromMarkdown } from '../../../content/document/from-markdown.ts'
import { documentToMarkdown } from '../../../content/document/to-markdown.ts'
import type { JSONDocument } from '../../../content/document/to-page.ts'
import type { CommentRow } from '../../../store/tables/rows.ts'
import { Description } from '../change-requests/description-schema.ts'

/** The formats of comment bodies. */
export type BodyFormat = 'markdown' | 'document'

/** The maximum length of a document, in characters of JSON. */
const mostOfDocument = 100_000

const JSONBody = Description.refine(
  document => JSON.stringify(document).length <= mostOfDocument,
  `takes a document of up to ${mostOfDocument} characters as JSON`,
)
  .refine(document => document.nodes.length > 0, 'takes a document with at least one node')
  .meta({
    id: 'CommentDocument',
    description:
      'The text of a comment as a tree of blocks: at least one, up to 100,000 characters as JSON.',
    sentences: {
      data: 'Data of the document as a whole.',
      'data.schemaVersion':
        'The version of the document format that the sender used; it is kept as sent.',
      nodes: 'The blocks, in their order: each has `object`, `type`, and `nodes` or `leaves`.',
    },
  })

const wanted = 'takes {"markdown": "..."} or {"document": {...}}'

/** The body of a comment or reply as sent: either a text or a document. */
export const NewBody = z
  .strictObject({ markdown: CommentText.optional(), document: JSONBody.optional() }, wanted)
  .refine(body => (body.markdown === undefined) !== (body.document === undefined), wanted)
  .meta({
    id: 'NewCommentBody',
    description:
      'A text as it is sent: `markdown` or `document`. Read in the same format, it comes back unchanged.',
    sentences: { markdown: 'The text in Markdown, 1 to 20,000 characters.' },
  })

/** The body of a comment or reply as returned. */
export const Body = z
  .union([
    z.strictObject({ markdown: z.string() }),
    z.strictObject({ document: z.record(z.string(), z.unknown()) }),
  ])
  .meta({
    id: 'CommentBody',
    description: 'A text as answers show it: Markdown, or a document with `format=document`.',
    sentences: { markdown: 'The text in Markdown.', document: 'The text as a tree of blocks.' },
  })

/** Returns a stored body in a format; a body sent in that format comes back unchanged. */
export const showBody = (
  { markdown, document }: CommentRow['body'],
  format: BodyFormat,
): z.input<typeof Body> =>
  format === 'markdown'
    ? { markdown: markdown ?? documentToMarkdown((document ?? {}) as JSONDocument) }
    : { document: (document ?? documentFromMarkdown(markdown ?? '')) as Record<string, unknown> }
