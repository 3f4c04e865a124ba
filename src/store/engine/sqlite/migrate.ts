import { readdirSync, readFileSync } from 'node:fs'
import type { Database } from 'better-sqlite3'

const ours = new URL('./migrations/', import.meta.url)

/** Returns the migrations in order. The number of a migration is the schema version after it. */
const migrations = (folder: URL) =>
  readdirSync(folder)
    .filter(name => /^\d{4}-.+\.sql$/.test(name))
    .sort()
    .map(name => ({
      version: Number(name.slice(0, 4)),
      sql: readFileSync(new URL(name, folder), 'utf8'),
    }))

/**
 * Migrates the schema to the version of this program, a transaction per step. Throws if the file
 * has a newer version. `folder` has the migrations.
 */
export function migrate(database: Database, folder = ours): void {
  const steps = migrations(folder)
  const latest = steps.at(-1)?.version ?? 0
  const version = () => database.pragma('user_version', { simple: true }) as number
  const held = version()

  if (held > latest) {
    throw new Error(
      `The database has schema ${held}, this program knows up to ${latest}. Run the newer program.`,
    )
  }

  for (const step of steps) {
    if (step.version <= held) continue
    database
      .transaction(() => {
        // Another process may have migrated while this one waited for the lock.
        if (step.version <= version()) return
        database.exec(step.sql)
        database.pragma(`user_version = ${step.version}`)
      })
      .immediate()
  }
}
