import { sql } from 'kysely'
import { Store, sqlRows } from '../store.ts'

type Part = { type: string; name: string; sql: string | null }

const listParts = (store: Store): Part[] =>
  store.all(sqlRows<Part>(sql`select type, name, sql from sqlite_schema where type in ('trigger', 'view')`))

/**
 * Returns the triggers and views of a database that no migration creates, e.g. `trigger "x"`: foreign code that would
 * run with our writes. `scratch` is the path of a temporary file to compare with.
 */
export function foreignParts(store: Store, scratch: string): string[] {
  const empty = new Store(scratch)
  try {
    const known = new Set(listParts(empty).map(part => JSON.stringify(part)))
    return listParts(store)
      .filter(part => !known.has(JSON.stringify(part)))
      .map(({ type, name }) => `${type} ${JSON.stringify(name)}`)
  } finally {
    empty.close()
  }
}
