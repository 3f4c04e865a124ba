import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import Database from 'better-sqlite3'
import { readFacts, recount } from './recount.ts'
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

export const databaseOf = (dataDir: string): string => join(dataDir, 'stemma.db')

/**
 * Reads a data folder's databases from outside, in one transaction. With `thorough`, SQLite checks
 * all of them.
 */
export function readRows(file: string, thorough: boolean): Rows {
  const database = new Database(file, { readonly: true })
  const all = <Row>(text: string) => database.prepare(text).all() as Row[]
  const indexed = attachDerived(database, join(dirname(file), 'derived.db'))

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

/** The number of jobs of a kind that are not dead, due or not. */
export function countJobs(file: string, kind: string): number {
  const database = new Database(file, { readonly: true })
  try {
    const counted = database.prepare("SELECT count(*) FROM job WHERE kind = ? AND state <> 'dead'")
    return counted.pluck().get(kind) as number
  } finally {
    database.close()
  }
}

export type DeliveryRow = { event_id: string; state: string; error: string | null }

/** Past and pending webhook deliveries. */
export function readDeliveries(file: string): DeliveryRow[] {
  const database = new Database(file, { readonly: true })
  try {
    return database
      .prepare('SELECT event_id, state, error FROM webhook_delivery')
      .all() as DeliveryRow[]
  } finally {
    database.close()
  }
}

/** Ages deleted spaces by a week, so that they are due to be purged. */
export function ageDeletedSpaces(dataDir: string): void {
  const database = new Database(databaseOf(dataDir), { timeout: 5000 })
  const weekAgo = Date.now() - 8 * 24 * 3_600_000
  try {
    database.transaction(() => {
      const ago = new Date(weekAgo).toISOString()
      database
        .prepare('UPDATE space SET deleted_at = ? WHERE deleted_at IS NOT NULL AND deleted_at > ?')
        .run(ago, ago)
      database
        .prepare("UPDATE job SET run_at = ? WHERE kind = 'purge-space' AND state = 'waiting'")
        .run(weekAgo)
    })()
  } finally {
    database.close()
  }
}
