import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { Store, sqlRows } from '../../src/store/store.ts'

let empty: Buffer | undefined

function makeEmpty(): Buffer {
  const folder = mkdtempSync(join(tmpdir(), 'stemma-empty-'))
  const file = join(folder, 'stemma.db')
  const store = new Store(file)
  store.checkpoint()
  store.close()
  const bytes = readFileSync(file)
  rmSync(folder, { recursive: true })
  return bytes
}

/**
 * Puts an empty database into a new data folder. Its migrations are most of the cost of a server's
 * first start.
 */
export function putDatabase(dataDir: string): void {
  empty ??= makeEmpty()
  writeFileSync(join(dataDir, 'stemma.db'), empty, { mode: 0o600 })
}

/**
 * Makes SQLite not wait for the disk in a test with thousands of small writes: none of them has to
 * survive a power cut. PostgreSQL never waits in tests.
 */
export const syncNothing = (store: Store): unknown =>
  store.isShared || store.run(sqlRows(sql`pragma synchronous = off`))
