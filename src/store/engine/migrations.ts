import { readdirSync, readFileSync } from 'node:fs'

/** A step of a schema: the version after it, and its SQL. */
export type Migration = { readonly version: number; readonly sql: string }

/** Returns the migrations of a folder in order. The number of a file is the version after it. */
export const migrationsIn = (folder: URL): Migration[] =>
  readdirSync(folder)
    .filter(name => /^\d{4}-.+\.sql$/.test(name))
    .sort()
    .map(name => ({
      version: Number(name.slice(0, 4)),
      sql: readFileSync(new URL(name, folder), 'utf8'),
    }))

/** Returns the version of the newest schema. */
export const latestVersion = (steps: readonly Migration[]): number => steps.at(-1)?.version ?? 0

/** Returns the sentence for a schema that this program does not know. */
export const newerSchema = (held: number, latest: number): string =>
  `The database has schema ${held}, this program knows up to ${latest}. Run the newer program.`
