import type { Statement } from './engine/driver.ts'
import { tableOf } from './tables/tables.ts'

/** Returns the names of the result columns that come from columns with JSON text. */
export const jsonColumns = ({ columns }: Statement, named: readonly string[] = []): string[] =>
  columns
    .filter(({ table, column }) => table && column && tableOf(table)?.json?.[column])
    .map(({ name }) => name)
    .concat(named)

/** Replaces JSON text by its value. */
export function parseColumns(row: Record<string, unknown>, columns: readonly string[]): void {
  for (const column of columns) {
    const text = row[column]
    if (typeof text === 'string') row[column] = JSON.parse(text) as unknown
  }
}

/** Returns a parameter as it is bound: objects and arrays as JSON text. */
export const bound = (value: unknown): unknown =>
  typeof value === 'object' && value !== null && !(value instanceof Uint8Array)
    ? JSON.stringify(value)
    : value
