import { readdirSync, readFileSync } from 'node:fs'
import type { Database } from 'better-sqlite3'
import { inviteIdOf } from './invite-id.ts'

const folder = new URL('./migrations/', import.meta.url)

/** The migrations, in order: their number is the schema version that they reach. */
const migrations = () =>
  readdirSync(folder)
    .filter(name => /^\d{4}-.+\.sql$/.test(name))
    .sort()
    .map(name => ({ version: Number(name.slice(0, 4)), sql: readFileSync(new URL(name, folder), 'utf8') }))

/** Brings the schema to this program's version, each step in a transaction. Throws when the file is newer. */
export function migrate(database: Database): void {
  const steps = migrations()
  const latest = steps.at(-1)?.version ?? 0
  const version = () => database.pragma('user_version', { simple: true }) as number
  const held = version()
  if (held > latest) {
    throw new Error(
      `The database has schema ${held}, this program knows up to ${latest}. Run the newer program.`,
    )
  }
  database.function('invite_id', { deterministic: true }, secret => inviteIdOf(String(secret)))
  for (const step of steps) {
    if (step.version <= held) continue
    database
      .transaction(() => {
        // Another process may have taken the step while this one waited for its turn.
        if (step.version <= version()) return
        database.exec(step.sql)
        database.pragma(`user_version = ${step.version}`)
      })
      .immediate()
  }
}
