import { join } from 'node:path'
import Database from 'better-sqlite3'
import type { Stemma } from './stemma.ts'

/** Deletes the data that the server derived from file contents and can derive again. */
export function forgetDerived({ dataDir }: Stemma): void {
  const database = new Database(join(dataDir, 'derived.db'), { timeout: 5_000 })
  database.exec('DELETE FROM blob_facts; DELETE FROM blob_links; DELETE FROM blob_media')
  database.close()
}
