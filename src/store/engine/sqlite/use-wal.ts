import type Database from 'better-sqlite3'

/** How long a connection waits for others that switch the same new file, in milliseconds. */
const patience = 5_000
const pause = 5

/**
 * Puts a file of the connection into WAL mode. Connections that switch a new file at the same time
 * block each other, and SQLite then fails at once without its busy timeout, so this tries again.
 * Throws SQLITE_BUSY after five seconds.
 */
export function useWal(database: Database.Database, schema: 'main' | 'derived'): void {
  const until = Date.now() + patience
  for (;;) {
    try {
      database.pragma(`${schema}.journal_mode = WAL`)
      return
    } catch (error) {
      const { code } = error as { code?: string }
      if (code !== 'SQLITE_BUSY' || Date.now() > until) throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pause)
    }
  }
}
