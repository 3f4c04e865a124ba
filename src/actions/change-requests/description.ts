import { z } from 'zod'
import { documentFromMarkdown } from '../../content/document/from-markdown.ts'
import {
  type DocumentNode,
  documentToText,
  type JSONDocument,
} from '../../content/document/to-page.ts'
import type { ChangeRequestRow } from '../../store/tables/rows.ts'

/** A description as the column holds it: it was checked when it was written. */
type Description = JSONDocument & {
  object: 'document'
  data: { schemaVersion?: number }
  nodes: DocumentNode[]
}

/** Returns the description of a change request as a block tree; undefined without one. */
export const descriptionOf = ({ description }: ChangeRequestRow): Description | undefined =>
  (description as Description | null) ?? undefined

/** Returns the description of a change request as text. */
export const descriptionText = (row: ChangeRequestRow): string =>
  documentToText(descriptionOf(row) ?? {}).trim()

/** The longest description, in characters of Markdown. */
const longest = 50_000

/**
 * The Markdown of a description, as the API and pages take it. It becomes the document that is
 * stored; an empty text becomes null.
 */
export const DescriptionText = z
  .string()
  .max(longest, `takes up to ${longest} characters`)
  .transform(text => (text.trim() === '' ? null : documentFromMarkdown(text)))
