import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import Database from 'better-sqlite3'
import { readFacts, recount } from './recount.ts'
import type { SharedRows } from './shared-rows.ts'
import { readSiteFacts } from './sites.ts'

export type RefRow = { space_id: string; name: string; oid: string }
export type RequestRow = {
  id: string
  space_id: string
  number: number
  branch: string | null
  status: string
  revision: string
  revision_initial: string
  revision_merged: string | null
  revision_merged_ancestor: string | null
  contributions: number
}
export type SyncRow = {
  id: string
  space_id: string
  direction: string
  state: string
  revision: string | null
  error: string | null
}
export type SpaceRow = {
  id: string
  title: string
  last_change_request: number
  deleted_at: string | null
}
export type SpecRow = {
  id: string
  slug: string
  visibility: string
  state: string
  last_version: string | null
  error_code: string | null
  /** JSON. */
  errors: string
  /** The number of texts still to be processed. */
  waiting: number
}
export type JobRow = {
  id: string
  kind: string
  state: string
  run_at: number
  error: string | null
}

/** All rows that the checks read, at one moment. */
export type Rows = {
  problems: string[]
  operations: { id: string; space_id: string; kind: string; moves: string }[]
  spaces: SpaceRow[]
  refs: RefRow[]
  revisions: { space_id: string; seq: number; oid: string }[]
  requests: RequestRow[]
  syncs: SyncRow[]
  jobs: JobRow[]
  specs: SpecRow[]
  /** Versions of specs, oldest first. */
  versions: { id: string; spec_id: string }[]
  /** Facts about comments, reviews and roles, by space. */
  facts: { space_id: string; fact: string }[]
  sites: { id: string; title: string }[]
  /** Facts about sites. */
  siteFacts: { site_id: string; fact: string }[]
}

/** Where servers store rows: in their folder, or in a database that they share. */
export type Stored = { dataDir: string; shared?: SharedRows | undefined }

export const databaseOf = (dataDir: string): string => join(dataDir, 'stemma.db')

/** Reads all rows from outside, as of one moment. With `thorough`, SQLite checks all of them. */
export async function readStored({ dataDir, shared }: Stored, thorough: boolean): Promise<Rows> {
  if (!shared) return readRows(databaseOf(dataDir), thorough)
  return withCopy(shared, dirname(dataDir), file => readRows(file, thorough, dataDir))
}

/** Calls `read` with a copy of the rows as a file in a folder. */
export async function withCopy<Result>(
  shared: SharedRows,
  folder: string,
  read: (file: string) => Result,
): Promise<Result> {
  const copies = mkdtempSync(join(folder, 'copy-'))
  try {
    const file = join(copies, 'stemma.db')
    await shared.copyTo(file)
    return read(file)
  } finally {
    rmSync(copies, { recursive: true, force: true })
  }
}

/**
 * Reads a file of rows, and the derived rows in a folder, from outside, in one transaction. With
 * `thorough`, SQLite checks all of them.
 */
export function readRows(file: string, thorough: boolean, derivedIn: string = dirname(file)): Rows {
  const database = new Database(file, { readonly: true })
  const all = <Row>(text: string) => database.prepare(text).all() as Row[]
  const indexed = attachDerived(database, join(derivedIn, 'derived.db'))

  try {
    return database.transaction((): Rows => {
      const integrity = database.pragma(thorough ? 'integrity_check' : 'quick_check') as object[]
      const keys = database.pragma('foreign_key_check') as object[]
      return {
        problems: [
          ...integrity.flatMap(row => Object.values(row)).filter(text => text !== 'ok'),
          ...keys,
        ]
          .map(problem => `SQLite reports ${JSON.stringify(problem)}`)
          .concat(recount(database)),
        operations: all('SELECT id, space_id, kind, moves FROM operation ORDER BY seq'),
        spaces: all('SELECT id, title, last_change_request, deleted_at FROM space'),
        refs: all('SELECT space_id, name, oid FROM ref'),
        revisions: indexed
          ? all('SELECT space_id, seq, oid FROM revision ORDER BY space_id, seq')
          : [],
        requests:
          all(`SELECT id, space_id, number, branch, status, revision, revision_initial, revision_merged,
          revision_merged_ancestor, coalesce((SELECT sum(count) FROM change_request_contributor
          WHERE change_request_id = change_request.id), 0) AS contributions
          FROM change_request ORDER BY space_id, number`),
        syncs: all(
          'SELECT id, space_id, direction, state, revision, error FROM git_sync_operation',
        ),
        jobs: all('SELECT id, kind, state, run_at, error FROM job'),
        specs: all(`SELECT id, slug, visibility, state, last_version, error_code, errors,
          (SELECT count(*) FROM openapi_source WHERE spec_id = openapi_spec.id) AS waiting FROM openapi_spec`),
        versions: all('SELECT id, spec_id FROM openapi_version ORDER BY seq'),
        facts: readFacts(database),
        sites: all('SELECT id, title FROM site'),
        siteFacts: readSiteFacts(database),
      }
    })()
  } finally {
    database.close()
  }
}

/** Attaches the derived rows. Returns false if the server was killed before it created them. */
function attachDerived(database: Database.Database, file: string): boolean {
  if (!existsSync(file)) return false
  database.prepare('ATTACH ? AS derived').run(file)
  return (
    database.prepare("SELECT 1 FROM derived.sqlite_schema WHERE name = 'revision'").get() !==
    undefined
  )
}

/** Runs a query that both engines understand. */
async function select<Row>({ dataDir, shared }: Stored, text: string): Promise<Row[]> {
  if (shared) return shared.run<Row>(text)
  const database = new Database(databaseOf(dataDir), { readonly: true })
  try {
    return database.prepare(text).all() as Row[]
  } finally {
    database.close()
  }
}

/** Runs statements that both engines understand, each in a transaction of its own. */
async function change({ dataDir, shared }: Stored, ...texts: string[]): Promise<void> {
  if (shared) {
    for (const text of texts) await shared.run(text)
    return
  }
  const database = new Database(databaseOf(dataDir), { timeout: 5000 })
  try {
    for (const text of texts) database.exec(text)
  } finally {
    database.close()
  }
}

/** Returns a job that is running or due within `soonMs`, or an intent in the journal. */
export async function findUnfinished(stored: Stored, soonMs: number): Promise<object | undefined> {
  const [job] = await select<object>(
    stored,
    `SELECT id, kind, state, run_at, error FROM job WHERE state = 'running'
      OR (state = 'waiting' AND run_at <= ${Date.now() + soonMs}) LIMIT 1`,
  )
  return job ?? (await select<object>(stored, 'SELECT id, kind FROM operation LIMIT 1'))[0]
}

/** The number of jobs of a kind that are not dead, due or not. */
export async function countJobs(stored: Stored, kind: string): Promise<number> {
  const jobs = `SELECT count(*) AS many FROM job WHERE kind = '${kind}' AND state <> 'dead'`
  return Number((await select<{ many: number | string }>(stored, jobs))[0]?.many)
}

export type DeliveryRow = { event_id: string; state: string; error: string | null }

/** Past and pending webhook deliveries. */
export const readDeliveries = (stored: Stored): Promise<DeliveryRow[]> =>
  select(stored, 'SELECT event_id, state, error FROM webhook_delivery')

/** Ages deleted spaces by a week, so that they are due to be purged. */
export function ageDeletedSpaces(stored: Stored): Promise<void> {
  const weekAgo = Date.now() - 8 * 24 * 3_600_000
  const ago = `'${new Date(weekAgo).toISOString()}'`
  return change(
    stored,
    `UPDATE space SET deleted_at = ${ago} WHERE deleted_at IS NOT NULL AND deleted_at > ${ago}`,
    `UPDATE job SET run_at = ${weekAgo} WHERE kind = 'purge-space' AND state = 'waiting'`,
  )
}

/**
 * Ends what a killed server still holds in a shared database, as the time until its next start would:
 * the jobs that it ran, and the keys of its requests.
 */
export async function endLeases(stored: Stored): Promise<void> {
  if (!stored.shared) return
  await change(
    stored,
    "UPDATE job SET leased_until = 0 WHERE state = 'running'",
    'DELETE FROM idempotency_claim',
  )
}
