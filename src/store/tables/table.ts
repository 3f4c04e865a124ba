import type { SelectType } from 'kysely'

/**
 * The reads that a write to a table concerns: those of the space or the organization (with its
 * spaces) that a column names, or any. 'derived' for rows that neither rights nor the content of
 * kept answers depend on: queues, logs, the search index, caches by object id, and discussions.
 */
type TableScope<Column> = readonly ['spaceId' | 'organizationId', Column] | 'derived' | 'any'

/** What is not stored as JSON. */
type Plain = string | number | Uint8Array | null

/** The columns of a row that hold JSON text: those whose values are objects or arrays. */
type JsonColumn<Row> = {
  [Column in keyof Row]-?: [Exclude<SelectType<Row[Column]>, Plain>] extends [never]
    ? never
    : Column
}[keyof Row]

/** What is declared of a table. */
export type Declared<Column = string> = {
  scope: TableScope<Column>
  /** Whether deleting a row deletes rows of other tables, so that it concerns any read. */
  owner?: true
  /** The column of the last use, which only lists show: an update of it alone is 'derived'. */
  use?: Column
  /** The only engine that has the table. */
  engine?: 'postgres'
  /** The columns that hold JSON text, which `Store` parses and stringifies. */
  json?: { readonly [Name in string]?: true }
}

/** The declaration of the columns with JSON, which names all of them. */
type DeclaredJson<Row> = [JsonColumn<Row>] extends [never]
  ? { json?: never }
  : { json: { readonly [Column in JsonColumn<Row>]: true } }

/** The declaration of a table whose rows have the type `Row`; the property `row` is never set. */
export type Table<Row> = Declared<keyof Row & string> & { row?: Row }

/** Declares a table. */
export const table = <Row>(
  declared: Declared<keyof Row & string> & DeclaredJson<Row>,
): Table<Row> => declared

export const ofSpace = ['spaceId', 'space_id'] as const
export const ofOrganization = ['organizationId', 'organization_id'] as const
