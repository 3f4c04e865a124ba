import { statSync } from 'node:fs'
import type Database from 'better-sqlite3'
import type { Compilable, CompiledQuery, RawBuilder } from 'kysely'
import { DummyDriver, Kysely, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely'
import { Changes, type ReadScope } from './changes.ts'
import { openDatabase } from './open-database.ts'
import type { Tables } from './tables/tables.ts'
import { writeScope } from './write-scope.ts'

/**
 * Builds and type-checks SQL without a connection. A `Store` runs it synchronously, so that nothing can be awaited inside a
 * transaction.
 */
export const query = new Kysely<Tables>({
  dialect: {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: db => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  },
})

/** Returns a hand-written query that `Store` can run. Its values are bound parameters. */
export const sqlRows = <Row>(raw: RawBuilder<unknown>): Compilable<Row> =>
  ({ compile: () => raw.compile(query) }) as Compilable<Row>

/** The number of entries at which `remember` empties its cache: outdated entries stay until they are read again. */
const mostRemembered = 20_000
/** The longest key that it caches, in characters. Our keys are shorter, but they contain ids from requests. */
const longestKey = 200

/** A cached result, and the version of the rows that it was read from. */
type Remembered = { result: unknown; version: number; scope: ReadScope | undefined }

/** How long a read of SQLite's change counter is used, in milliseconds: a turn of the event loop may be long. */
const freshMs = 1

/** The SQLite database of one data folder. */
export class Store {
  readonly file: string
  readonly #database: Database.Database
  readonly #statements = new Map<string, Database.Statement>()
  readonly #dataVersion: Database.Statement
  readonly #remembered = new Map<string, Remembered>()
  /** SQLite's count of commits by other connections when it was last read. Own writes are recorded at once. */
  #othersVersion: unknown
  readonly #changes = new Changes()
  /** Until when the counter is not read again, as `performance.now()`. One read serves many requests of one turn of the event loop. */
  #freshUntil = 0

  /** Opens or creates the file and migrates its schema; `check` checks the whole file first. Throws the errors of `openDatabase`. */
  constructor(file: string, options: { check?: boolean } = {}) {
    this.file = file
    this.#database = openDatabase(file, options)
    this.#dataVersion = this.#database.prepare('PRAGMA data_version').pluck()
  }

  #prepare(compiled: CompiledQuery) {
    const { sql, parameters } = compiled
    let statement = this.#statements.get(sql)
    if (!statement) {
      statement = this.#database.prepare(sql)
      this.#statements.set(sql, statement)
      // Lists of ids of many lengths result in many statements: drop the oldest.
      if (this.#statements.size > 500) this.#statements.delete(this.#statements.keys().next().value as string)
    }
    if (!statement.readonly) this.#changes.note(writeScope(compiled))
    return { statement, parameters: parameters as unknown[] }
  }

  /** Returns all rows. */
  all<Row>(built: Compilable<Row>): Row[] {
    const { statement, parameters } = this.#prepare(built.compile())
    return statement.all(...parameters) as Row[]
  }

  /** Returns the first row, or undefined. */
  get<Row>(built: Compilable<Row>): Row | undefined {
    const { statement, parameters } = this.#prepare(built.compile())
    // `get` of better-sqlite3 resets a statement after its first row and ignores the result: a failed commit would go unnoticed.
    const row = statement.readonly ? statement.get(...parameters) : statement.all(...parameters)[0]
    return row as Row | undefined
  }

  /** Runs a statement without result rows. Returns the number of changed rows. */
  run(built: Compilable): number {
    const { statement, parameters } = this.#prepare(built.compile())
    return statement.run(...parameters).changes
  }

  /**
   * Returns the result of `read`, cached under `key` until a row changes that `scope` includes (by default, until any row
   * changes), in this or another process. A repeated read costs a check of SQLite's change counter instead of a query. The
   * caller must not modify the result.
   */
  remember<Result>(key: string, read: () => Result, scope?: ReadScope): Result {
    // Rows of an open transaction may be rolled back.
    if (this.#database.inTransaction || key.length > longestKey) return read()
    const version = this.version()
    const known = this.#remembered.get(key)
    if (known && this.#changes.isCurrent(known.version, known.scope)) return known.result as Result
    const result = read()
    if (this.#remembered.size >= mostRemembered) this.#remembered.clear()
    this.#remembered.set(key, { result, version, scope })
    return result
  }

  /** Returns a number that changes as soon as any row may have changed, in this or another process. */
  version(): number {
    if (performance.now() > this.#freshUntil) this.#look()
    return this.#changes.version
  }

  /**
   * Returns whether an answer is still as of `version` that depends on rights, settings and content within a scope:
   * writes that concern only other spaces and organizations, queues, logs or the search index do not count.
   */
  isCurrent(version: number, scope: ReadScope | undefined): boolean {
    return this.version() === version || this.#changes.isCurrent(version, scope)
  }

  /** Records a write if another process has written. */
  #look(): void {
    const version = this.#dataVersion.get()
    if (version !== this.#othersVersion) this.#changes.note(undefined)
    this.#othersVersion = version
    this.#freshUntil = performance.now() + freshMs
    setImmediate(() => {
      this.#freshUntil = 0
    })
  }

  /** Runs `work` in one immediate transaction, which is rolled back if it throws. Nested calls join the outer transaction. */
  transact<Result>(work: () => Result): Result {
    if (this.#database.inTransaction) return work()
    return this.#database.transaction(work).immediate()
  }

  /**
   * Runs several functions in one immediate transaction. A function that throws rolls back only its own rows. Returns the
   * result or error of each, in order. Throws errors of the transaction itself, which is rolled back then.
   */
  transactEach<Result>(works: readonly (() => Result)[]): ({ result: Result } | { error: unknown })[] {
    return this.transact(() =>
      works.map(work => {
        try {
          // A nested transaction is a savepoint.
          return { result: this.#database.transaction(work)() }
        } catch (error) {
          // SQLite rolls back the whole transaction when the disk is full.
          if (!this.#database.inTransaction) throw error
          return { error }
        }
      }),
    )
  }

  /**
   * Runs a transaction like `transact`, without waiting for the disk. A power failure may undo it until the next transaction,
   * which syncs both. For derived rows, and for writes that recovery would repeat.
   */
  transactUnsynced<Result>(work: () => Result): Result {
    if (this.#database.inTransaction) return work()
    this.#database.pragma('synchronous = NORMAL')
    try {
      return this.transact(work)
    } finally {
      this.#database.pragma('synchronous = FULL')
    }
  }

  /**
   * Writes a consistent copy to `file` while other processes read and write. The copy is one step, which blocks this process:
   * SQLite restarts a copy in several steps whenever another process writes.
   */
  async backup(file: string): Promise<void> {
    await this.#database.backup(file, { progress: () => 0x7fffffff })
  }

  /** Returns what SQLite's checks of integrity and foreign keys find; empty if the file is sound. */
  problems(): string[] {
    const integrity = this.#database.pragma('integrity_check') as { integrity_check: string }[]
    const keys = this.#database.pragma('foreign_key_check') as { table: string; rowid: number }[]
    return [
      ...integrity.map(row => row.integrity_check).filter(text => text !== 'ok'),
      ...keys.map(row => `foreign key of ${row.table} row ${row.rowid} points nowhere`),
    ]
  }

  /**
   * Checkpoints the log as far as its readers allow, without waiting for them. Returns the remaining bytes of the log.
   */
  checkpoint(): number {
    this.#database.pragma('busy_timeout = 0')
    try {
      this.#database.pragma('wal_checkpoint(TRUNCATE)')
    } finally {
      this.#database.pragma('busy_timeout = 5000')
    }
    return statSync(`${this.file}-wal`, { throwIfNoEntry: false })?.size ?? 0
  }

  close(): void {
    this.#database.close()
  }
}
