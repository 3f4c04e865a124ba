import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'

/** Another server holds the data folder. */
export class LockedError extends Error {}

/** The lock of a data folder, held by this process. */
export type FolderLock = {
  /**
   * Recreates and locks removed lock files. Returns the names of those that were missing. Throws
   * LockedError if another process was faster: then two servers run on the folder, and this one
   * must end.
   */
  renew: () => string[]
  /** Replaces what the note in the folder says about this process. */
  describe: (about: string) => void
  release: () => void
}

/**
 * The files whose locks protect a folder. There are two, so that no second server can start between
 * the removal of one file and the next `renew`. They are SQLite locks: the kernel releases them
 * when the process ends for any reason.
 */
const names = ['lock.db', 'stemma.db-lock'] as const

type Held = { database: Database.Database; inode: bigint }

/**
 * Locks the data folder until released or until this process ends. Throws LockedError if another
 * process holds it.
 */
export function lockFolder(dataDir: string, about: string): FolderLock {
  const note = join(dataDir, 'lock.txt')
  const held = new Map<string, Held>()

  /** Locks on removed files. They have no effect, and closing them is harmless. */
  const old: Held[] = []
  const release = () => {
    for (const { database } of [...held.values(), ...old]) database.close()
  }

  try {
    for (const name of names) held.set(name, lockFile(dataDir, name))
  } catch (error) {
    release()
    throw error
  }

  let told = about
  const write = () => writeFileSync(note, `process ${process.pid}, ${told}\n`, { mode: 0o600 })

  write()

  return {
    renew: () => {
      const gone = names.filter(name => inodeOf(join(dataDir, name)) !== held.get(name)?.inode)
      for (const name of gone) {
        const fresh = lockFile(dataDir, name)
        old.push(held.get(name) as Held)
        held.set(name, fresh)
      }
      if (gone.length > 0) write()
      return gone
    },
    describe: text => {
      told = text
      write()
    },
    release: () => {
      rmSync(note, { force: true })
      release()
    },
  }
}

function lockFile(dataDir: string, name: string): Held {
  const file = join(dataDir, name)
  const database = new Database(file, { timeout: 0 })
  try {
    database.pragma('journal_mode = DELETE')
    database.pragma('locking_mode = EXCLUSIVE')
    database.exec('BEGIN EXCLUSIVE')
    return { database, inode: inodeOf(file) }
  } catch (error) {
    database.close()
    const { code } = error as { code?: string }
    if (code === 'SQLITE_NOTADB' || code === 'SQLITE_CORRUPT')
      throw new Error(
        `${file} is damaged. It contains no data: make sure that no server runs on ${dataDir}, then remove the file.`,
      )

    if (code !== 'SQLITE_BUSY') throw error

    const holder = readNote(join(dataDir, 'lock.txt'))

    throw new LockedError(
      `Another server holds ${dataDir}${holder && ` (${holder})`}. Stop it first, or use another STEMMA_DATA.`,
    )
  }
}

/**
 * The inode of a file, or 0 if it does not exist. The file is not opened, because closing it would
 * release all locks that the process has on it.
 */
const inodeOf = (file: string): bigint =>
  statSync(file, { bigint: true, throwIfNoEntry: false })?.ino ?? 0n

/** Returns the host and port in the note of the server that holds a folder; undefined for none. */
export function holderOf(dataDir: string): { host: string; port: number } | undefined {
  const [, host, port] =
    / listening on (\S+):(\d+)$/.exec(readNote(join(dataDir, 'lock.txt'))) ?? []
  return host === undefined ? undefined : { host, port: Number(port) }
}

function readNote(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch {
    return ''
  }
}
