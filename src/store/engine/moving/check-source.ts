import type { Database } from 'better-sqlite3'
import { latestVersion } from '../migrations.ts'
import { migrations } from '../sqlite/migrate.ts'
import { columnList, keyOf, quoted, type Shape, shapesOf, type Value } from './shapes.ts'
import { openRows } from './sqlite-rows.ts'

/** Returns the sentence for a schema that another version of this program has. */
export const otherSchema = (held: number, latest: number): string =>
  `The source has schema ${held}, and this program moves schema ${latest}. Start a server of this version on it once, stop it, and try again.`

/**
 * Throws an error with a sentence for the operator unless the rows of stemma.db can be moved: they
 * have the schema of this program, and every text can be held by PostgreSQL.
 */
export function checkSource(file: string): void {
  const database = openRows(file)
  try {
    const held = database.pragma('user_version', { simple: true }) as number
    const latest = latestVersion(migrations())
    if (held !== latest) throw new Error(otherSchema(held, latest))
    const zero = findZero(database, shapesOf(database))
    if (zero !== undefined)
      throw new Error(
        `PostgreSQL cannot hold ${zero}: its text contains the character U+0000. Nothing was moved. Change the text, and try again.`,
      )
  } finally {
    database.close()
  }
}

/**
 * Returns the first text that PostgreSQL cannot hold, because it contains U+0000, as a part of a
 * sentence; undefined: there is none.
 */
function findZero(database: Database, shapes: readonly Shape[]): string | undefined {
  for (const shape of shapes) {
    const texts = shape.columns.filter(({ type }) => type === 'TEXT').map(({ name }) => name)
    if (texts.length === 0) continue
    const has = texts.map(name => `instr(cast(${quoted(name)} as blob), x'00') > 0`).join(' or ')
    const row = database
      .prepare(`select ${columnList(shape)} from ${quoted(shape.table)} where ${has} limit 1`)
      .raw()
      .safeIntegers()
      .get() as Value[] | undefined
    if (!row) continue
    const at = shape.columns.findIndex(
      ({ type }, place) => type === 'TEXT' && String(row[place] ?? '').includes('\0'),
    )
    return `the column ${shape.columns[at]?.name} of the row with ${keyOf(shape, row)} in the table ${shape.table}`
  }
  return undefined
}
