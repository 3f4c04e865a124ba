import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'

/** Another server holds the data folder. */
export class LockedError extends Error {}

/**
 * Holds the data folder for this process, until released or dead: the kernel frees the lock of a small database
 * when its holder ends, however it ends. Throws LockedError when another process has it.
 */
export function lockFolder(dataDir: string, about: string): () => void {
  const note = join(dataDir, 'lock.txt')
  const database = new Database(join(dataDir, 'lock.db'), { timeout: 0 })
  try {
    database.pragma('journal_mode = DELETE')
    database.pragma('locking_mode = EXCLUSIVE')
    database.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    database.close()
    const { code } = error as { code?: string }
    if (code === 'SQLITE_NOTADB' || code === 'SQLITE_CORRUPT')
      throw new Error(
        `${join(dataDir, 'lock.db')} is damaged. It holds nothing: make sure that no server runs on ${dataDir}, and remove it.`,
      )
    if (code !== 'SQLITE_BUSY') throw error
    const holder = readNote(note)
    throw new LockedError(
      `Another server holds ${dataDir}${holder && ` (${holder})`}. Stop it first, or use another STEMMA_DATA.`,
    )
  }
  writeFileSync(note, `process ${process.pid}, ${about}\n`)
  return () => {
    rmSync(note, { force: true })
    database.close()
  }
}

function readNote(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch {
    return ''
  }
}
