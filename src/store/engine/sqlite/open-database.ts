import Database from 'better-sqlite3'
import { normalize } from '../../../lib/normalize.ts'
import { attachDerived, derivedFileOf } from './derived-file.ts'
import { migrate } from './migrate.ts'
import { useWal } from './use-wal.ts'

/**
 * Settings of every connection. `synchronous` falls back to NORMAL on an existing WAL file unless
 * it is set each time.
 */
const pragmas = [
  'synchronous = FULL',
  'foreign_keys = ON',
  'busy_timeout = 5000',
  'trusted_schema = OFF',
  'cell_size_check = ON',
  'recursive_triggers = ON',
  'temp_store = MEMORY',
  'wal_autocheckpoint = 1000',
  'journal_size_limit = 67108864',
  'cache_size = -16000',
  'mmap_size = 0',
]

/** The application id in the header of the file: "Stma". */
const applicationId = 0x53746d61

export type OpenOptions = {
  /**
   * Checks both files first, and replaces an unusable derived.db. Only for the holder of the
   * folder's lock.
   */
  check?: boolean
  /** Keeps the derived rows in memory, for a database that is not in a data folder. */
  alone?: boolean
}

const derivedFor = (file: string, alone: boolean): string =>
  alone || file === ':memory:' ? ':memory:' : derivedFileOf(file)

const fold = (text: unknown): string => normalize('NFC', String(text)).toLowerCase()

/**
 * Opens or creates the file, with our settings and the newest schema, and attaches derived.db. With
 * `check` the whole file is checked first, which takes a second for some hundred megabytes. Throws
 * if the file is damaged, belongs to another program or is newer than this program; then it is not
 * changed. Throws the errors of `attachDerived`.
 */
export function openDatabase(
  file: string,
  { check = false, alone = false }: OpenOptions = {},
): Database.Database {
  const database = new Database(file)
  try {
    claim(database, file)
    useWal(database, 'main')
    for (const pragma of pragmas) database.pragma(pragma)
    checkSettings(database, file)
    // SQLite ignores case for ASCII only.
    database.function('folded', { deterministic: true }, fold)
    if (check) checkPages(database, file)
    migrate(database)

    attachDerived(database, derivedFor(file, alone), { replace: check })

    return database
  } catch (error) {
    database.close()
    const { code } = error as { code?: string }
    if (code === 'SQLITE_CORRUPT' || code === 'SQLITE_NOTADB')
      throw damaged(file, (error as Error).message)
    throw error
  }
}

/**
 * Opens derived.db beside a file that is not there, because its rows are in another database. Throws
 * the errors of `attachDerived`.
 */
export function openDerivedAlone(
  file: string,
  { check = false, alone = false }: OpenOptions = {},
): Database.Database {
  const database = new Database(':memory:')
  try {
    for (const pragma of pragmas) database.pragma(pragma)
    database.function('folded', { deterministic: true }, fold)
    attachDerived(database, derivedFor(file, alone), { replace: check })
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

/**
 * Sets the application id of a new file. Throws for a file with another id or with foreign tables.
 */
function claim(database: Database.Database, file: string): void {
  // One transaction, since another process may claim and fill a new file between two reads.
  const owner = database.transaction(() => ownerOf(database))()
  if (owner === 'stemma') return
  if (owner === 'foreign')
    throw new Error(
      `${file} is a database of another program: set STEMMA_DATA to another folder, or take the file away.`,
    )
  database.pragma(`application_id = ${applicationId}`)
}

function ownerOf(database: Database.Database): 'stemma' | 'foreign' | 'unclaimed' {
  const held = database.pragma('application_id', { simple: true })
  if (held === applicationId) return 'stemma'
  if (held !== 0) return 'foreign'
  const table = database.prepare("select 1 from sqlite_master where type = 'table'").get()
  return table === undefined ? 'unclaimed' : 'foreign'
}

function checkSettings(database: Database.Database, file: string): void {
  const held = ['journal_mode', 'synchronous', 'foreign_keys'].map(name =>
    String(database.pragma(name, { simple: true })),
  )
  if (file !== ':memory:' && held.join() !== 'wal,2,1') {
    throw new Error(
      `The database did not take its settings (journal_mode, synchronous, foreign_keys: ${held}).`,
    )
  }
}

function checkPages(database: Database.Database, file: string): void {
  const [problem] = database.pragma('quick_check(1)') as { quick_check: string }[]
  if (problem && problem.quick_check !== 'ok') throw damaged(file, problem.quick_check)
}

const damaged = (file: string, what: string): Error =>
  new Error(
    `${file} is damaged (${what.replace(/\s+/g, ' ').slice(0, 200)}). Keep a copy of its folder, and fill an empty one from the last good backup with "stemma restore".`,
  )
