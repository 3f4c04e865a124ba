import type { Compilable, RawBuilder } from 'kysely'
import { DummyDriver, Kysely, SqliteAdapter, SqliteIntrospector } from 'kysely'
import { Changes, type ReadScope } from './changes.ts'
import { DatabaseError, type Driver, type Look } from './engine/driver.ts'
import type { Figures } from './engine/figures.ts'
import type { PostgresOptions } from './engine/postgres/bridge.ts'
import { openPostgres } from './engine/postgres/driver.ts'
import { twiceIfTested } from './engine/running-twice.ts'
import { Compiler } from './engine/sqlite/compiler.ts'
import { openDerived, openSqlite } from './engine/sqlite/driver.ts'
import type { OpenOptions } from './engine/sqlite/open-database.ts'
import { Gate } from './gate.ts'
import { bound, parseColumns } from './json-columns.ts'
import { ignoreDatabaseError } from './note.ts'
import { ReadAhead } from './read-ahead.ts'
import { nameOfScope, scopeNamed } from './scope-names.ts'
import { jsonOf, type Prepared, Statements } from './statements.ts'
import type { Tables } from './tables/tables.ts'
import { type WriteScope, writeScope } from './write-scope.ts'

/**
 * Builds and type-checks SQL without a connection. A `Store` runs it synchronously, so that nothing
 * can be awaited inside a transaction.
 */
export const query = new Kysely<Tables>({
  dialect: {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: db => new SqliteIntrospector(db),
    createQueryCompiler: () => new Compiler(),
  },
})

/**
 * Returns a hand-written query that `Store` can run. Its values are bound parameters. `json` names
 * the result columns with JSON text that come from an expression, not from a column of a table.
 */
export const sqlRows = <Row>(
  raw: RawBuilder<unknown>,
  json?: readonly (keyof Row & string)[],
): Compilable<Row> =>
  ({
    compile: () => (json ? { ...raw.compile(query), json } : raw.compile(query)),
    toOperationNode: () => raw.toOperationNode(),
    json,
  }) as Compilable<Row>

/**
 * The number of entries at which `remember` empties its cache: outdated entries stay until they are
 * read again.
 */
const mostRemembered = 20_000
/**
 * The longest key that it caches, in characters. Our keys are shorter, but they contain ids from
 * requests.
 */
const longestKey = 200

/** A cached result, and the version of the rows that it was read from. */
type Remembered = { result: unknown; version: number; scope: ReadScope | undefined }

/**
 * How long a read of the database's change counter is used, in milliseconds: a turn of the event loop may
 * be long.
 */
const freshMs = 1

/** The age of the last look of `gate` from which on nothing is remembered, in milliseconds. */
const mostAgeMs = 5_000

type StoreOptions = OpenOptions & {
  /** The PostgreSQL database that holds the rows of stemma.db. */
  postgres?: PostgresOptions | undefined
}

/**
 * The database of one data folder: stemma.db, or a PostgreSQL database in its place, and derived.db,
 * whose tables are in the schema `derived`.
 */
export class Store {
  readonly file: string
  /** What a request waits for, where other nodes write the same rows; undefined: none does. */
  readonly gate: Gate | undefined
  readonly #driver: Driver
  readonly #statements: Statements
  readonly #remembered = new Map<string, Remembered>()
  readonly #changes = new Changes()
  /** Undefined where a read of the database takes no trip. */
  readonly #readAhead: ReadAhead | undefined
  /**
   * Until when the counter is not read again, as `performance.now()`. One read serves many requests
   * of one turn of the event loop.
   */
  #freshUntil = 0
  /** The file that the open transaction has written to. */
  #file: 'stemma.db' | 'derived.db' | undefined
  #afterCommit: (() => void)[] = []
  /** What the open transaction has written, if its commit is awaited: it is noted after that. */
  #awaited: WriteScope[] | undefined
  #refusesWrites = false

  /**
   * Opens or creates both files and migrates the schema; `check` checks them first. Throws the
   * errors of `openDatabase` or `openPostgres`.
   */
  constructor(file: string, { postgres, ...options }: StoreOptions = {}) {
    this.file = file
    this.#driver = twiceIfTested(
      postgres ? openPostgres(postgres, openDerived(file, options)) : openSqlite(file, options),
    )
    this.#statements = new Statements(this.#driver)
    const { readsAhead } = this.#driver
    this.#readAhead = readsAhead && new ReadAhead(readsAhead, this.#changes)
    const look = this.#driver.look?.bind(this.#driver)
    this.gate = look && new Gate(() => this.#lookAtOthers(look))
  }

  /**
   * The time by which all nodes act, in milliseconds since 1970: that of PostgreSQL as of the last look,
   * or of the clock of this machine.
   */
  get time(): number {
    return Date.now() + (this.gate?.clockLeadMs ?? 0)
  }

  /** Whether other nodes share the rows: then the database holds the repositories too. */
  get isShared(): boolean {
    return this.gate !== undefined
  }

  /** What a database on another machine has cost; undefined: it is a file. */
  get figures(): Figures | undefined {
    return this.#driver.figures
  }

  /**
   * Runs a statement beside all others, as `Driver.later` says; undefined: the database is a file.
   * What it changes is not noted.
   */
  get later(): Driver['later'] {
    return this.#driver.later
  }

  #prepare(built: Compilable): { prepared: Prepared; parameters: unknown[] } {
    const { prepared, compiled } = this.#statements.prepare(built)
    if (!prepared.statement.readonly) {
      this.#checkRefusal(prepared.table)
      this.#checkFile(prepared.table)
      const scope = writeScope(compiled)
      if (this.#awaited) this.#awaited.push(scope)
      else this.#noteWrite(scope)
      if (scope !== 'derived') this.#driver.changes?.(nameOfScope(scope))
    }

    return { prepared, parameters: compiled.parameters.map(bound) }
  }

  /** Returns all rows. */
  all<Row>(built: Compilable<Row>): Row[] {
    const { prepared, parameters } = this.#prepare(built)
    const rows = prepared.statement.all(parameters) as Row[]
    const json = jsonOf(prepared)
    if (json.length > 0) for (const row of rows) parseColumns(row as Record<string, unknown>, json)
    return rows
  }

  /** Returns the first row, or undefined. */
  get<Row>(built: Compilable<Row>): Row | undefined {
    const { prepared, parameters } = this.#prepare(built)
    const row = prepared.statement.first(parameters)
    if (row !== undefined) parseColumns(row as Record<string, unknown>, jsonOf(prepared))
    return row as Row | undefined
  }

  /**
   * Returns the values of the first row of a query without JSON, from a database on another machine.
   * Nothing is blocked meanwhile.
   */
  async valuesBeside(built: Compilable): Promise<readonly unknown[] | undefined> {
    const { sql, parameters } = this.#driver.compile(built)
    return (await this.#driver.later?.(sql, parameters.map(bound)))?.[0]
  }

  #noteWrite(scope: WriteScope): void {
    this.#changes.note(scope)
    this.#readAhead?.noteWrite(scope)
  }

  /** Runs a statement without result rows. Returns the number of changed rows. */
  run(built: Compilable): number {
    const { prepared, parameters } = this.#prepare(built)
    return prepared.statement.run(parameters)
  }

  /**
   * Runs a statement without a result. In a transaction on another machine, it travels with a later
   * statement, or with the commit, which throws its error.
   */
  send(built: Compilable): void {
    const { prepared, parameters } = this.#prepare(built)
    const { statement } = prepared
    if (statement.send) statement.send(parameters)
    else statement.run(parameters)
  }

  /**
   * Returns the result of `read`, cached under `key` until a row changes that `scope` includes (by
   * default, until any row changes), in this or another process. A repeated read costs a check of
   * a change counter instead of a query. Where `gate` tells what other nodes change, the result is
   * as of the last look at least. The caller must not modify the result.
   */
  remember<Result>(key: string, read: () => Result, scope?: ReadScope): Result {
    // Rows of an open transaction may be rolled back.
    if (this.#driver.inTransaction || key.length > longestKey) return read()
    if (this.gate && this.gate.ageMs > mostAgeMs) return read()
    const version = this.version()
    const known = this.#remembered.get(key)
    if (known && this.#changes.isCurrent(known.version, known.scope)) return known.result as Result

    const ahead = this.#readAhead
    const result = ahead ? ahead.run({ key, scope, version }, read) : read()
    if (this.#remembered.size >= mostRemembered) this.#remembered.clear()
    this.#remembered.set(key, { result, version, scope })

    return result
  }

  /** Makes what is remembered of a space be read again: its rows were found to have changed. */
  forget(spaceId: string): void {
    this.#changes.note({ spaceId })
  }

  /**
   * Returns a number that changes as soon as any row may have changed, in this or another process;
   * at another node, with the next look of `gate`.
   */
  version(): number {
    if (performance.now() > this.#freshUntil) this.#look()
    return this.#changes.version
  }

  /**
   * Returns whether an answer is still as of `version` that depends on rights, settings and content
   * within a scope: writes that concern only other spaces and organizations, queues, logs or the
   * search index do not count.
   */
  isCurrent(version: number, scope: ReadScope | undefined): boolean {
    return this.version() === version || this.#changes.isCurrent(version, scope)
  }

  /**
   * Refuses every later write to stemma.db. Derived rows are still written: reads need them.
   */
  refuseWrites(): void {
    this.#refusesWrites = true
  }

  #checkRefusal(table: string | undefined): void {
    if (this.#refusesWrites && !(table && this.#driver.derivedTables.has(table)))
      throw new DatabaseError('readonly', 'The server is in read-only mode.')
  }

  /**
   * Throws, as a bug of the program, if a transaction writes to both files: its commit would not be
   * atomic.
   */
  #checkFile(table: string | undefined): void {
    if (table === undefined || !this.#driver.inTransaction) return
    const file = this.#driver.derivedTables.has(table) ? 'derived.db' : 'stemma.db'
    if (this.#file !== undefined && this.#file !== file)
      throw new Error(
        `A transaction that has written to ${this.#file} writes to ${table} in ${file}.`,
      )
    this.#file = file
  }

  /**
   * Returns a function that a transaction, which began after this call, asks whether rows have changed
   * since, by any process or by what the transaction wrote before. What is read after this call is as
   * of it, or later.
   */
  async watchChanges(): Promise<() => boolean> {
    await this.gate?.pass()
    const version = this.version()
    return () =>
      this.version() !== version ||
      (this.#awaited !== undefined && this.#awaited.length > 0) ||
      this.#driver.othersHaveChanged?.() === true
  }

  /** Notes what another process has written to a file. */
  #look(): void {
    if (this.#driver.changedByOthers()) this.#changes.note(undefined)
    this.#freshUntil = performance.now() + freshMs
    setImmediate(() => {
      this.#freshUntil = 0
    })
  }

  /** Notes what other nodes have written. Returns the time of the database. */
  async #lookAtOthers(look: () => Promise<Look>): Promise<number> {
    const { scopes, time } = await look()
    if (scopes === undefined) this.#changes.note(undefined)
    else for (const scope of scopes) this.#changes.note(scopeNamed(scope))
    return time
  }

  /**
   * Runs `work` in one immediate transaction, which is rolled back if it throws. Nested calls join
   * the outer transaction. PostgreSQL may run `work` again, and first on rows that it has read before, so that it must change
   * nothing but rows.
   */
  transact<Result>(work: () => Result): Result {
    return this.#transact(work, false)
  }

  #transact<Result>(work: () => Result, isDerived: boolean): Result {
    if (this.#driver.inTransaction) return work()
    const result = this.#driver.transact(() => this.#runAnew(work), isDerived)
    for (const act of this.#takeAfterCommit()) act()
    return result
  }

  /** Runs the work of a transaction without what an earlier run of it has left. */
  #runAnew<Result>(work: () => Result): Result {
    this.#file = undefined
    this.#afterCommit = []
    return work()
  }

  #takeAfterCommit(): (() => void)[] {
    const after = this.#afterCommit
    this.#afterCommit = []
    return after
  }

  /**
   * Runs a transaction like `transact`. Where the database is on another machine, the program goes on
   * with other work while the transaction begins and commits: until it has ended, others may read what was
   * there before, or what it writes.
   */
  async transactBeside<Result>(work: () => Result): Promise<Result> {
    if (!this.#driver.transactBeside || this.#driver.inTransaction) return this.transact(work)
    let written: WriteScope[] = []
    let after: (() => void)[] = []
    const once = () => {
      written = []
      this.#awaited = written
      try {
        return this.#runAnew(work)
      } finally {
        this.#awaited = undefined
        after = this.#takeAfterCommit()
      }
    }
    let result: Result
    try {
      result = await this.#driver.transactBeside(once)
    } finally {
      // A commit without an answer may have happened.
      for (const scope of written) this.#noteWrite(scope)
    }
    for (const act of after) act()
    return result
  }

  /**
   * Writes derived rows in a transaction of their own, right after the commit of the open
   * transaction if there is one: a transaction over both files is not atomic. If the write fails or
   * the process ends before it, the rows are missing, which their readers notice.
   */
  afterCommit(write: () => unknown): void {
    this.whenCommitted(() => this.#writeDerived(write))
  }

  /** Calls `tell` right after the commit of the open transaction; at once if there is none. */
  whenCommitted(tell: () => void): void {
    if (this.#driver.inTransaction) this.#afterCommit.push(tell)
    else tell()
  }

  #writeDerived(write: () => unknown): void {
    try {
      this.#transact(write, true)
    } catch (error) {
      ignoreDatabaseError(error)
    }
  }

  /**
   * Runs several functions in one transaction like `transactBeside`. A function that throws rolls back
   * only its own rows. Returns the result or error of each, in order. Throws errors of the
   * transaction itself, which is rolled back then.
   */
  async transactEach<Result>(
    works: readonly (() => Result)[],
  ): Promise<({ result: Result } | { error: unknown })[]> {
    // One work needs no savepoint: nothing else is to be kept.
    if (works.length === 1 && this.gate && !this.#driver.inTransaction)
      return [
        await this.transactBeside(works[0]!).then(
          result => ({ result }),
          (error: unknown) => ({ error }),
        ),
      ]
    return this.transactBeside(() => works.map(work => this.#ownRows(work)))
  }

  /** Runs `work` in the open transaction. If it throws, only its own rows are rolled back. */
  #ownRows<Result>(work: () => Result): { result: Result } | { error: unknown } {
    const after = this.#afterCommit.length
    try {
      return { result: this.#driver.savepoint(work) }
    } catch (error) {
      this.#afterCommit.length = after
      // The whole transaction is rolled back when the disk is full, for example.
      if (!this.#driver.inTransaction) throw error
      return { error }
    }
  }

  /**
   * Runs a transaction like `transact`, without waiting for the disk. A power failure may undo it
   * until the next transaction, which syncs both. For writes that recovery would repeat. Writes to
   * derived.db never wait for the disk.
   */
  transactUnsynced<Result>(work: () => Result): Result {
    if (this.#driver.inTransaction) return work()
    return this.#driver.unsynced(() => this.transact(work))
  }

  /** Deletes the rows by which nodes learn what others change, when no node needs them any more. */
  async pruneChanges(): Promise<void> {
    await this.#driver.pruneChanges?.()
  }

  /**
   * Runs `work`, whose transactions run one at a time among all nodes, and see what the ones before
   * have changed; others never repeat them. For a choice that depends on many rows of a queue.
   */
  inTurn<Result>(queue: string, work: () => Result): Result {
    return this.#driver.inTurn(queue, work)
  }

  /** Writes a consistent copy of stemma.db to `file` while other processes read and write. */
  backup(file: string): Promise<void> {
    return this.#driver.backup(file)
  }

  /**
   * Returns what checks of integrity and foreign keys find in stemma.db; empty if the file is sound.
   */
  problems(): string[] {
    return this.#driver.problems()
  }

  /** Returns what a check of integrity finds in derived.db; empty if the file is sound. */
  derivedProblems(): string[] {
    return this.#driver.derivedProblems()
  }

  /** How often content began to be erased, and whether it is being erased now. */
  #erasing = { begun: 0, isOn: false }

  /** Sets whether rows that are deleted from now on are overwritten in files, as `erasing` needs. */
  overwriteDeleted(isOn: boolean): void {
    this.#erasing = { begun: this.#erasing.begun + (isOn ? 1 : 0), isOn }
    this.#driver.overwriteDeleted(isOn)
  }

  /**
   * Returns a function that returns whether this process has erased no content since this call. Call this
   * before you read content, and the function in the transaction that writes what you derived from it:
   * purged content must not come back.
   */
  watchErasing(): () => boolean {
    const { begun, isOn } = this.#erasing
    return () => !isOn && this.#erasing.begun === begun
  }

  /** Runs `write` in a transaction, unless content was erased since `mayKeep` came from `watchErasing`. */
  keep(mayKeep: () => boolean, write: () => unknown): void {
    this.transact(() => {
      if (mayKeep()) write()
    })
  }

  /**
   * Checkpoints the logs of both files as far as their readers allow, without waiting for them.
   * Returns the remaining bytes.
   */
  readonly checkpoint = (): number => this.#driver.checkpoint()

  close(): void {
    this.#driver.close()
  }
}
