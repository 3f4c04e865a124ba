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
