import { statSync } from 'node:fs'
import type Database from 'better-sqlite3'
import type { Compilable, CompiledQuery, RawBuilder } from 'kysely'
import { DummyDriver, Kysely, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely'
import { openDatabase } from './open-database.ts'
import type { Tables } from './tables/tables.ts'

/**
 * The pen: builds and type-checks SQL, and has no connection. A `Store` is the hand that runs it,
 * synchronously, so that nothing can be awaited inside a transaction.
 */
export const query = new Kysely<Tables>({
  dialect: {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: db => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  },
})

/** A hand-written query in the shape that `Store` runs; its values are bound, never pasted. */
export const sqlRows = <Row>(raw: RawBuilder<unknown>): Compilable<Row> =>
  ({ compile: () => raw.compile(query) }) as Compilable<Row>

/** How many answers `remember` keeps before it begins anew. */
const mostRemembered = 20_000
/** The longest key, in characters, that it keeps one for: ours are shorter, but ids come from whoever asks. */
const longestKey = 200

/** How many milliseconds a look at SQLite's count serves at most: a turn of the event loop may be long. */
const freshMs = 1

/** The metadata of one data folder, in one SQLite file. */
export class Store {
  readonly file: string
  readonly #database: Database.Database
  readonly #statements = new Map<string, Database.Statement>()
  readonly #dataVersion: Database.Statement
  readonly #remembered = new Map<string, unknown>()
  /** SQLite's count of commits by others, as of what is remembered; what this connection writes forgets at once. */
  #rememberedVersion: unknown
  /** Grows whenever a row may have changed. */
  #version = 0
  /**
   * Until when the count need not be looked at again, as `performance.now()` says it: a moment of one turn of the event
   * loop, in which it serves many requests.
   */
  #freshUntil = 0

  /** Opens the file (made when it is not there) and brings its schema up to date, after a look at all of it with `check`. Throws as `openDatabase`. */
  constructor(file: string, options: { check?: boolean } = {}) {
    this.file = file
    this.#database = openDatabase(file, options)
    this.#dataVersion = this.#database.prepare('PRAGMA data_version').pluck()
  }

  #prepare({ sql, parameters }: CompiledQuery) {
    let statement = this.#statements.get(sql)
    if (!statement) {
      statement = this.#database.prepare(sql)
      this.#statements.set(sql, statement)
      // Lists of ids of many lengths make many texts: the oldest goes.
      if (this.#statements.size > 500) this.#statements.delete(this.#statements.keys().next().value as string)
    }
    if (!statement.readonly) this.#forget()
    return { statement, parameters: parameters as unknown[] }
  }

  /** All rows. */
  all<Row>(built: Compilable<Row>): Row[] {
    const { statement, parameters } = this.#prepare(built.compile())
    return statement.all(...parameters) as Row[]
  }

  /** The first row, or undefined. */
  get<Row>(built: Compilable<Row>): Row | undefined {
    const { statement, parameters } = this.#prepare(built.compile())
    // After its first row `get` ends a statement without a look at how it ended: a write whose commit fails would pass.
    const row = statement.readonly ? statement.get(...parameters) : statement.all(...parameters)[0]
    return row as Row | undefined
  }

  /** Runs a statement that gives no rows; how many rows it changed. */
  run(built: Compilable): number {
    const { statement, parameters } = this.#prepare(built.compile())
    return statement.run(...parameters).changes
  }

  /**
   * What `read` gives, kept under `key` until any row changes, here or in another process: what every request asks costs
   * one look at SQLite's change counter instead of a query. Whoever gets it must not change it.
   */
  remember<Result>(key: string, read: () => Result): Result {
    // Inside a transaction there may be rows that are taken back.
    if (this.#database.inTransaction || key.length > longestKey) return read()
    if (performance.now() > this.#freshUntil) this.#look()
    if (this.#remembered.has(key)) return this.#remembered.get(key) as Result
    const result = read()
    this.#remembered.set(key, result)
    return result
  }

  /** The state of the rows, as a number: another one as soon as any row may have changed, here or in another process. */
  version(): number {
    if (performance.now() > this.#freshUntil) this.#look()
    return this.#version
  }

  #forget(): void {
    this.#remembered.clear()
    this.#version++
  }

  /** Forgets what is remembered when another process has written. */
  #look(): void {
    const version = this.#dataVersion.get()
    if (version !== this.#rememberedVersion || this.#remembered.size > mostRemembered) this.#forget()
    this.#rememberedVersion = version
    this.#freshUntil = performance.now() + freshMs
    setImmediate(() => {
      this.#freshUntil = 0
    })
  }

  /** Runs `work` in one immediate transaction: all of it, or nothing when it throws. Nested calls join the outer one. */
  transact<Result>(work: () => Result): Result {
    if (this.#database.inTransaction) return work()
    return this.#database.transaction(work).immediate()
  }

  /**
   * Runs several works in one immediate transaction, each of them whole or not at all: one that throws takes back its own
   * rows alone. Gives what each gave or threw, in order. Throws what went wrong for all; then none of them has happened.
   */
  transactEach<Result>(works: readonly (() => Result)[]): ({ result: Result } | { error: unknown })[] {
    return this.transact(() =>
      works.map(work => {
        try {
          // Inside the transaction this is a savepoint.
          return { result: this.#database.transaction(work)() }
        } catch (error) {
          // A disk that is full takes the whole transaction back.
          if (!this.#database.inTransaction) throw error
          return { error }
        }
      }),
    )
  }

  /**
   * The same as `transact`, but nobody waits until it is on the disk: a power cut may undo it as long as nothing was written after it,
   * for the next write syncs it too. For what is written down already and would be done again, or is derived.
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
   * Writes a consistent copy to `file` while other processes read and write. All of it in one step, which keeps this
   * process busy: a copy in several steps begins anew whenever another process writes, and never ends beside a busy one.
   */
  async backup(file: string): Promise<void> {
    await this.#database.backup(file, { progress: () => 0x7fffffff })
  }

  /** What SQLite finds wrong with the file: integrity and foreign keys. Empty when all is well. */
  problems(): string[] {
    const integrity = this.#database.pragma('integrity_check') as { integrity_check: string }[]
    const keys = this.#database.pragma('foreign_key_check') as { table: string; rowid: number }[]
    return [
      ...integrity.map(row => row.integrity_check).filter(text => text !== 'ok'),
      ...keys.map(row => `foreign key of ${row.table} row ${row.rowid} points nowhere`),
    ]
  }

  /**
   * Writes the log back into the file as far as nobody reads what it holds, without waiting for them; gives the bytes that
   * the log still has.
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
