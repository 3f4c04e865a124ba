import { sql } from 'kysely'
import { Store, sqlRows } from '../store.ts'

type Part = { type: string; name: string; sql: string | null }

const listParts = (store: Store): Part[] =>
  store.all(
    sqlRows<Part>(sql`
      select type, name, sql from main.sqlite_schema
      where type in ('trigger', 'view') or (type = 'table' and name in (select name from derived.sqlite_schema)
        and name not like 'sqlite_%')`),
  )

/**
 * Returns the triggers and views of a database that no migration creates, e.g. `trigger "x"`:
 * foreign code that would run with our writes. Also returns tables that hide one of derived.db.
 * `scratch` is the path of a temporary file to compare with.
 */
export function foreignParts(store: Store, scratch: string): string[] {
  const empty = new Store(scratch, { alone: true })
  try {
    const known = new Set(listParts(empty).map(part => JSON.stringify(part)))
    return listParts(store)
      .filter(part => !known.has(JSON.stringify(part)))
      .map(({ type, name }) => `${type} ${JSON.stringify(name)}`)
  } finally {
    empty.close()
  }
}
