import type { Database } from 'better-sqlite3'
import { latestVersion, type Migration, migrationsIn, newerSchema } from '../migrations.ts'

const ours = new URL('./migrations/', import.meta.url)

/** Returns the steps of the schema. */
export const migrations = (): Migration[] => migrationsIn(ours)

/**
 * Migrates the schema to the version of this program, a transaction per step. Throws if the file
 * has a newer version. `folder` has the migrations.
 */
export function migrate(database: Database, folder = ours): void {
  const steps = migrationsIn(folder)
  const latest = latestVersion(steps)
  const version = () => database.pragma('user_version', { simple: true }) as number
  const held = version()

  if (held > latest) throw new Error(newerSchema(held, latest))

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
