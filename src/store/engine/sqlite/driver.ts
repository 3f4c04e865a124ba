import { statSync } from 'node:fs'
import Database from 'better-sqlite3'
import { DatabaseError, type DatabaseErrorCode, type Driver, type Statement } from '../driver.ts'
import { derivedFileOf } from './derived-file.ts'
import { type OpenOptions, openDatabase, openDerivedAlone } from './open-database.ts'

/** The codes of SQLite, the longest start first: extended codes begin with the code of their kind. */
const codes: readonly (readonly [start: string, code: DatabaseErrorCode])[] = [
  ['SQLITE_CONSTRAINT_FOREIGNKEY', 'foreign'],
  ['SQLITE_CONSTRAINT_PRIMARYKEY', 'unique'],
  ['SQLITE_CONSTRAINT_UNIQUE', 'unique'],
  ['SQLITE_CONSTRAINT', 'constraint'],
  ['SQLITE_FULL', 'full'],
  ['SQLITE_BUSY', 'busy'],
  ['SQLITE_READONLY', 'readonly'],
  ['SQLITE_CORRUPT', 'damaged'],
  ['SQLITE_NOTADB', 'damaged'],
  ['SQLITE_CANTOPEN', 'unopened'],
  ['SQLITE_IOERR', 'io'],
]

/** Returns the error of SQLite as a DatabaseError, and any other error as it is. */
function translated(error: unknown): unknown {
  if (!(error instanceof Database.SqliteError)) return error
  const [, code] = codes.find(([start]) => error.code.startsWith(start)) ?? []
  return new DatabaseError(code ?? 'other', error.message, { cause: error })
}

/** Returns the result of `work`. Throws an error of SQLite as a DatabaseError. */
function translating<Result>(work: () => Result): Result {
  try {
    return work()
  } catch (error) {
    throw translated(error)
  }
}

/**
 * Opens or creates stemma.db and derived.db beside it, whose tables are in the schema `derived`.
 * Throws the errors of `openDatabase`.
 */
export const openSqlite = (file: string, options: OpenOptions): Driver =>
  driverOf(
    translating(() => openDatabase(file, options)),
    file,
  )

/** The derived rows alone, whose transactions follow those of another database. */
export type DerivedDriver = Driver & {
  /** Runs a command of a transaction. */
  control(command: string): void
}

/** Opens derived.db alone. Throws the errors of `openDerivedAlone`. */
export function openDerived(file: string, options: OpenOptions): DerivedDriver {
  const database = translating(() => openDerivedAlone(file, options))
  const driver = driverOf(database, file)
  return Object.assign(driver, {
    control: (sql: string) => translating(() => void database.exec(sql)),
  })
}

function driverOf(database: Database.Database, file: string): Driver {
  const dataVersions = ['main', 'derived'].map(schema =>
    database.prepare(`PRAGMA ${schema}.data_version`).pluck(),
  )
  let lastVersions: string | undefined
  const tables = database.prepare("select name from derived.sqlite_schema where type = 'table'")

  return {
    derivedTables: new Set(tables.pluck().all() as string[]),
    get inTransaction() {
      return database.inTransaction
    },
    compile: built => built.compile(),
    prepare: sql => translating(() => statementOf(database.prepare(sql))),
    transact: work => translating(() => database.transaction(work).immediate()),
    // A nested transaction is a savepoint.
    savepoint: work => translating(() => database.transaction(work)()),
    unsynced(work) {
      translating(() => database.pragma('synchronous = NORMAL'))
      try {
        return work()
      } finally {
        translating(() => database.pragma('synchronous = FULL'))
      }
    },
    // Transactions run one at a time.
    inTurn: (_, work) => work(),
    changedByOthers() {
      const before = lastVersions
      lastVersions = translating(() => dataVersions.map(each => each.get()).join())
      return before !== lastVersions
    },
    // One step, which blocks this process: SQLite restarts a copy in several steps whenever another
    // process writes.
    backup: async to => {
      await database.backup(to, { progress: () => 0x7fffffff }).catch(error => {
        throw translated(error)
      })
    },
    problems: () =>
      translating(() => [...checkIntegrity(database, 'main'), ...checkKeys(database)]),
    derivedProblems: () => translating(() => checkIntegrity(database, 'derived')),
    overwriteDeleted(isOn) {
      translating(() => database.pragma(`secure_delete = ${isOn ? 'ON' : 'OFF'}`))
    },
    checkpoint: () => translating(() => checkpoint(database, file)),
    close: () => database.close(),
  }
}

const statementOf = (statement: Database.Statement): Statement => ({
  readonly: statement.readonly,
  columns: statement.reader ? statement.columns() : [],
  all: values => translating(() => statement.all(...values)),
  // `get` of better-sqlite3 resets a statement after its first row and ignores the result: a failed
  // commit would go unnoticed.
  first: values =>
    translating(() =>
      statement.readonly ? statement.get(...values) : statement.all(...values)[0],
    ),
  run: values => translating(() => statement.run(...values).changes),
})

function checkIntegrity(database: Database.Database, schema: string): string[] {
  const found = database.pragma(`${schema}.integrity_check`) as { integrity_check: string }[]
  return found.map(row => row.integrity_check).filter(text => text !== 'ok')
}

function checkKeys(database: Database.Database): string[] {
  const found = database.pragma('main.foreign_key_check') as { table: string; rowid: number }[]
  return found.map(row => `foreign key of ${row.table} row ${row.rowid} points nowhere`)
}

function checkpoint(database: Database.Database, file: string): number {
  database.pragma('busy_timeout = 0')

  try {
    database.pragma('wal_checkpoint(TRUNCATE)')
  } finally {
    database.pragma('busy_timeout = 5000')
  }

  return [file, derivedFileOf(file)]
    .map(each => statSync(`${each}-wal`, { throwIfNoEntry: false })?.size ?? 0)
    .reduce((total, bytes) => total + bytes)
}
