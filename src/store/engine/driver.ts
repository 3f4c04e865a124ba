import type { Compilable, CompiledQuery } from 'kysely'
import type { Figures } from './figures.ts'

/**
 * Why a database refuses: `full` (no room on its disk), `busy` (another process writes), `readonly`,
 * `unique` and `foreign` (a constraint of this kind), `constraint` (another one), `damaged`,
 * `unopened` (its file cannot be opened), `io` (its disk fails), `unavailable` (its server does not
 * answer), `text` (a text has a character that it cannot hold), or `other`.
 */
export type DatabaseErrorCode =
  | 'full'
  | 'busy'
  | 'readonly'
  | 'unique'
  | 'foreign'
  | 'constraint'
  | 'damaged'
  | 'unopened'
  | 'io'
  | 'unavailable'
  | 'text'
  | 'other'

/** An error of the database, with one code for each cause, whichever engine runs it. */
export class DatabaseError extends Error {
  readonly code: DatabaseErrorCode

  constructor(code: DatabaseErrorCode, message: string, options?: { cause: unknown }) {
    super(message, options)
    this.name = 'DatabaseError'
    this.code = code
  }
}

/** Returns whether an error is of the database, with one of these codes; none: with any code. */
export const isDatabaseError = (
  error: unknown,
  ...codes: readonly DatabaseErrorCode[]
): error is DatabaseError =>
  error instanceof DatabaseError && (codes.length === 0 || codes.includes(error.code))

/** A compiled query. `json` names the result columns with JSON text that come from an expression. */
export type Compiled = CompiledQuery & { json?: readonly string[] }

/** The tables that a statement names after these words. */
const named = /\b(?:from|join|into|update)\s+"?(\w+)/gi

/** Returns the names of tables in a statement, and words that look like such names. */
export const tablesIn = (sql: string): string[] =>
  [...sql.matchAll(named)].map(match => match[1] as string)

/** A prepared statement. Its values are bound as they are: texts, numbers, bytes and null. */
export type Statement = {
  /** Whether it changes no row. */
  readonly readonly: boolean
  /**
   * Its result columns, with the table and column that each value comes from, if from one. Known
   * after its first run.
   */
  readonly columns: readonly { name: string; table: string | null; column: string | null }[]
  all(values: readonly unknown[]): unknown[]
  first(values: readonly unknown[]): unknown
  /** Returns the number of changed rows. */
  run(values: readonly unknown[]): number
  /** Like `run`, but a transaction may run it later, together with other statements. */
  send?(values: readonly unknown[]): void
}

/** Returns a statement that calls `act` before each of its runs. */
export function beforeRuns(statement: Statement, act: () => void): Statement {
  const acting =
    <Result>(run: (values: readonly unknown[]) => Result) =>
    (values: readonly unknown[]): Result => {
      act()
      return run(values)
    }
  const { all, first, run, send } = statement
  const own = { all: acting(all), first: acting(first), run: acting(run) }
  return Object.assign(Object.create(statement) as Statement, own, send && { send: acting(send) })
}

/** What other nodes have changed. */
export type Look = {
  /** In the words of `changes`; undefined: anything. */
  readonly scopes: readonly string[] | undefined
  /** The time of the database, in milliseconds since 1970. */
  readonly time: number
}

/** Statements with their values, and their results, in a form of the driver's own. */
export type Questions = readonly unknown[]
export type Results = object

/** Reads that know some results before. */
export type ReadsAhead = {
  /** Runs statements together. */
  ask(questions: Questions): Results
  /** Runs statements together, beside what the program does meanwhile. */
  askBeside(questions: Questions): Promise<Results>
  /**
   * Runs `read`, outside a transaction, which takes each result from `known` once that is there. Returns
   * what it asked for, too.
   */
  run<Value>(known: Results | undefined, read: () => Value): { value: Value; asked: Questions }
}

/** A connection to the database, which `Store` uses synchronously. Throws DatabaseError. */
export type Driver = {
  /** The tables whose rows can be derived. They are not written in one transaction with others. */
  readonly derivedTables: ReadonlySet<string>
  readonly inTransaction: boolean
  /** Missing where the database is a file. */
  readonly figures?: Figures
  /** Writes a query in the SQL of the engine. */
  compile(built: Compilable): Compiled
  prepare(sql: string): Statement
  /** Missing where the database is a file. */
  readonly readsAhead?: ReadsAhead
  /**
   * Runs `work` in a transaction that may write, and rolls it back if `work` throws. An engine that
   * lets transactions run side by side runs `work` again, from the start, when another one has
   * changed what it had read. It may also run `work` to learn what it reads; not if `isDerived`: then
   * `work` concerns derived rows alone.
   */
  transact<Result>(work: () => Result, isDerived?: boolean): Result
  /**
   * Like `transact`, but blocks the program only for what `work` asks for unexpectedly. Missing where the
   * database is a file.
   */
  transactBeside?<Result>(work: () => Result): Promise<Result>
  /** Runs `work` in the open transaction, and undoes only its own rows if it throws. */
  savepoint<Result>(work: () => Result): Result
  /** Runs `work`, whose transactions do not wait for the disk. */
  unsynced<Result>(work: () => Result): Result
  /**
   * Runs `work`, whose transactions run one at a time among those of all processes in turn of the
   * same name. Each of their statements sees all that is committed when it begins, and what others
   * write does not repeat them.
   */
  inTurn<Result>(name: string, work: () => Result): Result
  /**
   * Runs a statement on a session of its own, which stays open, in a transaction of its own, and
   * returns its rows as arrays. It waits for no other statement and blocks nothing; it must not wait
   * for a lock. When its connection is lost, it runs again. Rejects with a DatabaseError. Missing
   * where the database is a file.
   */
  later?(sql: string, values: readonly unknown[]): Promise<readonly (readonly unknown[])[]>
  /**
   * Records what the next statement, which writes, concerns, for the other processes. Missing where
   * they cannot learn it.
   */
  changes?(scope: string): void
  /** Returns whether another process may have changed a file since the last call. */
  changedByOthers(): boolean
  /**
   * Returns what other nodes have changed since the last call, which must have ended. Blocks
   * nothing. Rejects with a DatabaseError. Missing where the database is a file.
   */
  look?(): Promise<Look>
  /**
   * Returns whether other nodes have changed rows since the last look, as the open transaction sees it.
   * Missing where the database is a file.
   */
  othersHaveChanged?(): boolean
  /** Deletes what no node needs to learn what has changed. */
  pruneChanges?(): Promise<void>
  /** Writes a consistent copy to a file. */
  backup(file: string): Promise<void>
  /** Returns what a check of all rows finds; empty if they are sound. */
  problems(): string[]
  /** Returns what a check of the derived rows finds; empty if they are sound. */
  derivedProblems(): string[]
  /** Sets whether deleted rows are overwritten in files. That takes longer. */
  overwriteDeleted(isOn: boolean): void
  /** Writes logs back as far as their readers allow. Returns the remaining bytes. */
  checkpoint(): number
  close(): void
}
