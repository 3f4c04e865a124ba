/**
 * The reads that a write to a table concerns: those of the space or the organization (with its
 * spaces) that a column names, or any. 'derived' for rows that neither rights nor the content of
 * kept answers depend on: queues, logs, the search index, caches by object id, and discussions.
 */
type TableScope<Column> = readonly ['spaceId' | 'organizationId', Column] | 'derived' | 'any'

/** What is declared of a table. */
export type Declared<Column = string> = {
  scope: TableScope<Column>
  /** Whether deleting a row deletes rows of other tables, so that it concerns any read. */
  owner?: true
  /** The column of the last use, which only lists show: an update of it alone is 'derived'. */
  use?: Column
}

/** The declaration of a table whose rows have the type `Row`; the property `row` is never set. */
export type Table<Row> = Declared<keyof Row & string> & { row?: Row }

/** Declares a table. */
export const table = <Row>(declared: Declared<keyof Row & string>): Table<Row> => declared

export const ofSpace = ['spaceId', 'space_id'] as const
export const ofOrganization = ['organizationId', 'organization_id'] as const
