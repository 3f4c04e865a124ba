import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { sql } from 'kysely'
import { sha256 } from '../../src/lib/digest.ts'
import { sqlRows } from '../../src/store/store.ts'
import type { App } from '../support/app.ts'

/** What is derived from Git whenever somebody reads, and what remembers answers. */
const derived = new Set(['blob_facts', 'blob_media', 'idempotency', 'sqlite_sequence', 'sqlite_stat1'])
/** What being asked notes. */
const noted: Record<string, string[]> = { token: ['last_used_at'] }

/** A digest per table of rows, and one of all refs: two that are alike say that nothing was written between them. */
export type Written = Map<string, string>

/** The rows as of when SQLite had counted so many changes: with no more of them, they need not be read again. */
const known = new WeakMap<App, { changes: number; tables: Written }>()

/** What is written now, once no job is under way. */
export async function readWritten(app: App): Promise<Written> {
  const { store } = app.ctx
  const all = <Row>(text: string) => store.all(sqlRows<Row>(sql.raw(text)))
  const due = () => all(`select id from job where state <> 'dead' and run_at <= ${app.ctx.now().getTime()}`)
  for (let waited = 0; due().length > 0; waited++) {
    if (waited > 1000) throw new Error(`Jobs do not end: ${JSON.stringify(due())}`)
    await setTimeout(10)
  }
  const changes = all<{ changes: number }>('select total_changes() as changes')[0]?.changes ?? 0
  let { tables } = known.get(app) ?? {}
  if (!tables || known.get(app)?.changes !== changes) tables = readTables(all)
  known.set(app, { changes, tables })
  return new Map([...tables, ['refs', sha256(refsBelow(join(app.dataDir, 'spaces')).join('\n'))]])
}

function readTables(all: <Row>(text: string) => Row[]): Written {
  const written: Written = new Map()
  for (const { name } of all<{ name: string }>("select name from sqlite_schema where type = 'table'")) {
    if (derived.has(name)) continue
    const left = noted[name] ?? []
    const rows = all<Record<string, unknown>>(`select * from "${name}"`)
    written.set(name, sha256(JSON.stringify(rows, (key, value) => (left.includes(key) ? 0 : value))))
  }
  return written
}

/** Each ref of each repository, with what it holds, as its file has it. */
function refsBelow(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap(entry => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return entry.name === 'objects' || entry.name === 'hooks' ? [] : refsBelow(path)
    return /\/refs\/|packed-refs$|\/HEAD$/.test(path) ? [`${path} ${readFileSync(path, 'utf8')}`] : []
  })
}

/** The tables that are not as they were. */
export const changedBetween = (before: Written, after: Written): string[] =>
  [...after.keys()].filter(name => before.get(name) !== after.get(name))
