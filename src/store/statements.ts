import type { Compilable } from 'kysely'
import { type Compiled, type Driver, type Statement, tablesIn } from './engine/driver.ts'
import { jsonColumns } from './json-columns.ts'
import { tableOf } from './tables/tables.ts'

/**
 * The most statements that stay prepared: lists of ids of many lengths result in many. The oldest are
 * dropped.
 */
const mostPrepared = 500

/** A prepared statement, and the table that it writes to. */
export type Prepared = {
  statement: Statement
  /** The result columns that hold JSON text. Undefined until its first run, which tells the columns. */
  json: readonly string[] | undefined
  named: readonly string[] | undefined
  table: string | undefined
}

/** The table that a statement writes to; undefined for settings and schemas. */
const written =
  /^\s*(?:insert(?:\s+or\s+\w+)?\s+into|replace\s+into|update|delete\s+from)\s+"?(\w+)/i

/** Returns the names of the result columns that hold JSON text, once the statement has run. */
export function jsonOf(prepared: Prepared): readonly string[] {
  prepared.json ??= jsonColumns(prepared.statement, prepared.named)
  return prepared.json
}

/** The prepared statements of a driver. */
export class Statements {
  readonly #driver: Driver
  readonly #known = new Map<string, Prepared>()

  constructor(driver: Driver) {
    this.#driver = driver
  }

  prepare(built: Compilable): { prepared: Prepared; compiled: Compiled } {
    const compiled: Compiled = this.#driver.compile(built)
    const { sql } = compiled
    let prepared = this.#known.get(sql)
    if (!prepared) {
      prepared = {
        statement: this.#driver.prepare(sql),
        json: undefined,
        named: compiled.json,
        table: written.exec(sql)?.[1],
      }
      this.#checkTables(sql)
      this.#known.set(sql, prepared)
      if (this.#known.size > mostPrepared)
        this.#known.delete(this.#known.keys().next().value as string)
    }
    return { prepared, compiled }
  }

  /**
   * Throws, as a bug of the program, if a statement reads from both files: with another engine, the
   * derived rows are in another database.
   */
  #checkTables(sql: string): void {
    const names = tablesIn(sql)
    const derived = names.find(name => this.#driver.derivedTables.has(name))
    if (derived === undefined) return
    const other = names.find(name => tableOf(name) && !this.#driver.derivedTables.has(name))
    if (other !== undefined)
      throw new Error(`A statement joins ${derived} of derived.db and ${other} of stemma.db.`)
  }
}
