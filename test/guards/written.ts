import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { sql } from 'kysely'
import { spaceFolder } from '../../src/actions/repositories/space-repository.ts'
import { sha256 } from '../../src/lib/digest.ts'
import { sqlRows } from '../../src/store/store.ts'
import type { App } from '../support/app.ts'
import { uses, watchTables } from './watch-tables.ts'

/**
 * Tables that store answers, and what readers did, which a server counts in memory and writes at times
 * of its own. Those of derived.db, which reads write to, are not in the main schema.
 */
const ignored = new Set(['idempotency', 'site_event'])
/**
 * Append-only tables, compared by their last row. A job counts when it is added; its outcome is the
 * worker's.
 */
const growing = new Set(['audit_event', 'job'])

/**
 * A digest per table and one of the refs: equal digests mean that nothing was written in between.
 */
export type Written = Map<string, string>

/**
 * The digests of the tables, of which only those need to be read again that triggers saw a write to.
 */
const known = new WeakMap<App, { written: Written; take: () => string[] }>()

/**
 * Returns the written state once no job is running: all rows, the list of repositories, and the
 * refs of one space.
 */
export async function readWritten(app: App, spaceId: string): Promise<Written> {
  const { store } = app.ctx
  const all = <Row>(text: string) => store.all(sqlRows<Row>(sql.raw(text)))
  const due = () =>
    all(`select id from job where state <> 'dead' and run_at <= ${app.ctx.now().getTime()}`)

  for (let waited = 0; due().length > 0; waited++) {
    if (waited > 6000) throw new Error(`Jobs do not end: ${JSON.stringify(due())}`)
    await setTimeout(10)
  }

  const tables = readTables(app, all)
  const spaces = join(app.dataDir, 'spaces')

  // A new or removed repository changes the folder that it is in.
  const repositories = readdirSync(spaces).map(part => {
    const { mtimeNs, nlink } = statSync(join(spaces, part), { bigint: true })
    return `${part} ${nlink} ${mtimeNs}`
  })
  const refs = refsBelow(spaceFolder(app.dataDir, spaceId))

  return new Map([
    ...tables,
    ['repositories', sha256(repositories.join())],
    ['refs', sha256(refs.join('\n'))],
  ])
}

function readTables(app: App, all: <Row>(text: string) => Row[]): Written {
  let watched = known.get(app)
  if (!watched) {
    watched = { written: new Map(), take: watchTables(app) }
    known.set(app, watched)
  }
  const { written, take } = watched

  for (const name of take()) {
    if (ignored.has(name)) continue
    const rows = all<Record<string, unknown>>(
      growing.has(name) ? lastNumber(app, name) : `select * from "${name}"`,
    )

    // PostgreSQL returns an updated row at another place.
    const texts = rows.map(row => JSON.stringify({ ...row, [uses[name] ?? '']: 0 })).sort()
    written.set(name, sha256(texts.join('\n')))
  }

  return written
}

/** The query of the number of the last row that was added to a table. */
const lastNumber = ({ ctx }: App, table: string): string =>
  ctx.store.isShared
    ? `select pg_sequence_last_value(pg_get_serial_sequence('${table}', 'seq')) as seq`
    : `select seq from sqlite_sequence where name = '${table}'`

/** Each ref of a repository, with what it holds, as its file has it. */
function refsBelow(folder: string): string[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { withFileTypes: true }).flatMap(entry => {
    const path = join(folder, entry.name)
    if (entry.isDirectory())
      return entry.name === 'objects' || entry.name === 'hooks' ? [] : refsBelow(path)
    return /\/refs\/|packed-refs$|\/HEAD$/.test(path)
      ? [`${path} ${readFileSync(path, 'utf8')}`]
      : []
  })
}

/** Returns the tables that differ. */
export const changedBetween = (before: Written, after: Written): string[] =>
  [...after.keys()].filter(name => before.get(name) !== after.get(name))
