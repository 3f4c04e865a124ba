import { readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import Database from 'better-sqlite3'
import { Fault } from '../../../errors.ts'
import { useWal } from './use-wal.ts'

/**
 * The version of derived.db. It changes with `derived.sql`, and whenever rows of the same content
 * get another meaning: a folder with another version gets an empty file, which fills again.
 */
export const derivedVersion = 12

/** The application id in the header of derived.db: "Stmd". */
const applicationId = 0x53746d64

/**
 * Settings of the attached file. Its rows can be derived again, so a commit does not wait for the
 * disk.
 */
const pragmas = ['synchronous = NORMAL', 'journal_size_limit = 67108864', 'cache_size = -16000']

/**
 * The files of SQLite beside a database, before the database itself: a log without its database is
 * harmless.
 */
const endings = ['-wal', '-shm', '-journal', '']

const schema = new URL('./derived.sql', import.meta.url)

/** derived.db cannot be used. `file` is its path. */
export class UnusableDerivedError extends Fault {
  readonly file: string

  constructor(file: string, why: string) {
    super(
      'database_unavailable',
      `${file} cannot be used: ${why}. Restart the server, which rebuilds the file.`,
    )
    this.file = file
  }
}

/** Returns the path of the derived rows that belong to a database. */
export const derivedFileOf = (file: string): string => join(dirname(file), 'derived.db')

/**
 * Attaches the derived rows as the schema `derived`. Creates the file if it is missing. With
 * `replace`, checks the whole file and replaces one that is damaged or has another version: only
 * the holder of the folder's lock may do that. Throws UnusableDerivedError otherwise.
 */
export function attachDerived(
  database: Database.Database,
  file: string,
  { replace = false } = {},
): void {
  const problem = attach(database, file, replace)
  if (problem === undefined) return
  if (!replace) throw new UnusableDerivedError(file, problem)
  removeDerived(file)
  const again = attach(database, file, false)
  if (again !== undefined) throw new UnusableDerivedError(file, again)
}

/**
 * Deletes derived.db. Only the holder of the folder's lock may call it. Throws while another
 * process has the file open: its last connection would later delete the log of the new file.
 */
export function removeDerived(file: string): void {
  if (isOpenElsewhere(file))
    throw new Fault(
      'busy',
      `${file} must be rebuilt, but another Stemma command is using it. Try again when that command has ended.`,
    )
  for (const ending of endings) rmSync(file + ending, { force: true })
}

/** Attaches the file if it can be used. Returns the problem otherwise. */
function attach(database: Database.Database, file: string, check: boolean): string | undefined {
  let attached = false
  try {
    database.prepare('ATTACH ? AS derived').run(file)
    attached = true
    const problem = problemOf(database, check)
    if (problem === undefined) return undefined
    database.exec('DETACH derived')
    return problem
  } catch (error) {
    if (attached) database.exec('DETACH derived')
    if (!isDamage(error)) throw error
    return `it is damaged (${(error as Error).message})`
  }
}

function problemOf(database: Database.Database, check: boolean): string | undefined {
  if (isNew(database)) {
    configure(database)
    create(database)
  }

  const id = database.pragma('derived.application_id', { simple: true })
  if (id !== applicationId) return 'it was not created by Stemma'

  const version = database.pragma('derived.user_version', { simple: true })
  if (version !== derivedVersion)
    return `it has version ${version}, and this program uses ${derivedVersion}`
  configure(database)
  if (!check) return undefined

  const [found] = database.pragma('derived.quick_check(1)') as { quick_check: string }[]

  return !found || found.quick_check === 'ok' ? undefined : `it is damaged (${found.quick_check})`
}

function configure(database: Database.Database): void {
  useWal(database, 'derived')
  for (const pragma of pragmas) database.pragma(`derived.${pragma}`)
}

const isNew = (database: Database.Database): boolean =>
  database.pragma('derived.user_version', { simple: true }) === 0 &&
  database.prepare('select 1 from derived.sqlite_schema').get() === undefined

const create = (database: Database.Database): void =>
  database
    .transaction(() => {
      // Another process may have created it while this one waited for the lock.
      if (!isNew(database)) return
      database.exec(readFileSync(schema, 'utf8'))
      database.pragma(`derived.application_id = ${applicationId}`)
      database.pragma(`derived.user_version = ${derivedVersion}`)
    })
    .immediate()

/** Leaving WAL mode needs the only connection to the file. */
function isOpenElsewhere(file: string): boolean {
  let database: Database.Database | undefined
  try {
    database = new Database(file, { timeout: 1_000 })
    database.pragma('journal_mode = DELETE')
    return false
  } catch (error) {
    return codeOf(error).startsWith('SQLITE_BUSY')
  } finally {
    database?.close()
  }
}

const isDamage = (error: unknown): boolean => /^SQLITE_(?:CORRUPT|NOTADB)/.test(codeOf(error))

const codeOf = (error: unknown): string => String((error as { code?: unknown }).code)
