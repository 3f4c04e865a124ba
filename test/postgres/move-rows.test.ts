import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import * as assert from 'uvu/assert'
import { checkSource } from '../../src/store/engine/moving/check-source.ts'
import { copyToPostgres, copyToSqlite } from '../../src/store/engine/moving/copy.ts'
import { openTarget } from '../../src/store/engine/moving/moving-database.ts'
import { openRows } from '../../src/store/engine/moving/sqlite-rows.ts'
import type { Connection } from '../../src/store/engine/postgres/connection.ts'
import { Store } from '../../src/store/store.ts'
import { type Random, randomFrom } from '../crash/random.ts'
import { type Cluster, startCluster } from './cluster.ts'
import { postgresSuite } from './suite.ts'

let cluster: Cluster
let folder: string
const test = postgresSuite(
  'rows moved to PostgreSQL and back',
  async () => {
    cluster = await startCluster()
    folder = mkdtempSync(join(tmpdir(), 'stemma-rows-'))
  },
  () => {
    cluster?.stop()
    if (folder) rmSync(folder, { recursive: true, force: true })
  },
)

const at = '2026-01-01T00:00:00.000Z'
let files = 0
const newFile = (): string => join(folder, `${++files}.db`)
const nothing = () => {}

/** Creates a file with an organization, a space and an integration, and calls `fill` with it. */
function makeFile(fill: (database: Database.Database) => void): string {
  const file = newFile()
  new Store(file, { alone: true }).close()
  const database = new Database(file)
  database.exec(`
    insert into organization (id, title, created_at) values ('acme', 'Acme', '${at}');
    insert into user (id, display_name, confirmed_email, created_at) values
      ('ada', 'Ada', 'Ada@example.org', '${at}'), ('bob', 'Bob', null, '${at}');
    insert into space (id, organization_id, title, created_at, updated_at)
      values ('s', 'acme', 'Space', '${at}', '${at}');
    insert into integration (id, name, name_folded, organization_id, title, manifest, script,
      created_at, updated_at) values ('i', 'i', 'i', 'acme', 'I', '{}', '', '${at}', '${at}')`)
  fill(database)
  database.close()
  return file
}

const opened = async (): Promise<Connection> => openTarget(await cluster.create())

async function copyTo(file: string, target: Connection): Promise<Map<string, unknown>> {
  const source = openRows(file)
  try {
    await target.script('begin')
    const copied = await copyToPostgres(source, target, nothing)
    await target.script('commit')
    return new Map(copied)
  } finally {
    source.close()
  }
}

async function copyBack(source: Connection): Promise<{ file: string; copied: unknown }> {
  const file = newFile()
  await source.script('begin')
  const copied = await copyToSqlite(source, file, nothing)
  await source.script('commit')
  return { file, copied: new Map(copied) }
}

/** Returns all rows of a file, with the numbers that the next rows get. */
function contentOf(file: string): unknown {
  const database = new Database(file, { readonly: true })
  const tables = database
    .prepare("select name from sqlite_schema where type = 'table' and name <> 'ref' order by name")
    .pluck()
    .all() as string[]
  const rows = tables.map(table => {
    const sorted = database
      .prepare(`select * from "${table}"`)
      .safeIntegers()
      .all()
      .map(row =>
        JSON.stringify(row, (_, value) => (typeof value === 'bigint' ? `n${value}` : value)),
      )
      .sort()
    return [table, sorted]
  })
  const schema = database.prepare('select type, name, sql from sqlite_schema order by name').all()
  database.close()
  return { rows, schema }
}

const texts = ['', ' ', 'NULL', '{}', '{"a","b"}', "'", '"', '\\', '\\x00', '\\N', '\t', '\r\n']
const signs = ['é', 'e\u0301', '😀', '\u{10ffff}', '\u202e', '\ufffd', '\ufeff', '\u0001', '\x7f']
const numbers = [0n, -1n, 1n, 2n ** 53n + 1n, 2n ** 63n - 1n, -(2n ** 63n)]
const documents = ['{}', '[]', '""', '0', '{"a":"\\u0000"}', ' { "b" : 1e400 } ', '{"a":1,"a":2}']

function textOf(random: Random): string {
  const parts = Array.from({ length: random.below(4) }, () => random.pick([...texts, ...signs]))
  return parts.join('')
}

function fillWithOdd(random: Random): (database: Database.Database) => void {
  const bytes = () => Buffer.from(Array.from({ length: random.below(40) }, () => random.below(256)))
  return database => {
    const event = database.prepare(`insert into audit_event (id, organization_id, action, user_id,
      target_kind, target_id, details, created_at) values (?, ?, ?, ?, ?, ?, ?, ?)`)
    const job = database.prepare(
      `insert into job (id, kind, lane, payload, run_at, leased_until, created_at) values (?, ?, ?, ?, ?, ?, ?)`,
    )
    const asset = database.prepare('insert into integration_asset values (?, ?, ?, ?, ?)')
    for (let count = 0; count < 60; count++) {
      const text = () => textOf(random)
      const maybe = random.chance(0.5) ? null : text()
      event.run(`${count}`, text(), text(), maybe, text(), text(), random.pick(documents), text())
      const [runAt, until] = [random.pick(numbers), random.pick([...numbers, null])]
      job.run(`${text()}${count}`, text(), text(), random.pick(documents), runAt, until, text())
      asset.run('i', `${text()}${count}`, text(), text(), bytes())
    }
  }
}

const seed = Number(process.env.TEST_SEED ?? 1)

test('odd values are the same there and back, by digests and by themselves', async () => {
  for (let round = 0; round < 5; round++) {
    const file = makeFile(fillWithOdd(randomFrom(seed + round)))
    const target = await opened()
    const there = await copyTo(file, target)
    const { file: back, copied } = await copyBack(target)
    await target.close()
    assert.equal(copied, there, `TEST_SEED=${seed}`)
    assert.equal(contentOf(back), contentOf(file), `TEST_SEED=${seed}`)
  }
})

test('counters of triggers, references to later rows and used numbers are kept', async () => {
  const file = makeFile(database => {
    database.exec(`
      insert into collection (id, organization_id, title, created_at, updated_at)
        values ('child', 'acme', 'C', '${at}', '${at}'), ('parent', 'acme', 'P', '${at}', '${at}');
      update collection set parent_id = 'parent' where id = 'child';
      insert into comment (id, space_id, revision, body, posted_by, posted_at)
        values ('c', 's', 'r', '{}', 'ada', '${at}'), ('d', 's', 'r', '{}', 'ada', '${at}');
      delete from comment where id = 'd'`)
  })
  const target = await opened()
  await copyTo(file, target)
  const [next] = await target.rows(
    `insert into comment (id, space_id, revision, body, posted_by, posted_at)
      values ('e', 's', 'r', '{}', 'ada', '${at}') returning seq`,
  )
  assert.equal(next, [3])
  const [count] = await target.rows("select open_comments from space where id = 's'")
  assert.equal(count, [2], 'triggers work again')
  const refused = target.rows("insert into member values ('acme', 'nobody', 'read')")
  await refused.then(
    () => assert.unreachable(),
    (error: Error) => assert.match(error.message, /foreign key|null value/),
  )
  const { file: back } = await copyBack(target)
  const database = new Database(back)
  database
    .prepare(
      'insert into comment (id, space_id, revision, body, posted_by, posted_at) values (?, ?, ?, ?, ?, ?)',
    )
    .run('f', 's', 'r', '{}', 'ada', at)
  const seq = database.prepare("select seq from comment where id = 'f'").pluck().get()
  const open = database.prepare('select open_comments from space').pluck().get()
  database.close()
  assert.equal([seq, open], [4, 3])
  await target.close()
})

test('many rows, and rows larger than a portion, are copied', async () => {
  const file = makeFile(database => {
    const insert = database.prepare(
      "insert into user (id, display_name, created_at) values (?, ?, '')",
    )
    database.transaction(() => {
      for (let count = 0; count < 5_000; count++) insert.run(`u${count}`, `User ${count}`)
    })()
    const large = Buffer.alloc(3_000_000, 'x')
    database
      .prepare('insert into integration_asset values (?, ?, ?, ?, ?)')
      .run('i', 'a', '', '', large)
    database
      .prepare(
        "insert into audit_event (id, organization_id, action, target_kind, target_id, details, created_at) values ('e', '', '', '', '', ?, '')",
      )
      .run(JSON.stringify('y'.repeat(2_000_000)))
  })
  const target = await opened()
  const there = await copyTo(file, target)
  assert.is((there.get('user') as { rows: number }).rows, 5_002)
  assert.equal((await copyBack(target)).copied, there)
  await target.close()
})

test('a text with U+0000 is named before anything is copied', () => {
  const file = makeFile(database => {
    database.prepare('update user set display_name = ? where id = ?').run('a\0b', 'bob')
  })
  assert.throws(
    () => checkSource(file),
    /the column display_name of the row with seq 2 in the table user.*U\+0000/,
  )
})

test('rows of another schema are not moved', () => {
  const file = makeFile(database => void database.pragma('user_version = 8'))
  assert.throws(() => checkSource(file), /has schema 8, and this program moves schema \d+\. Start/)
})

test('a row that is changed on the way is found', async () => {
  const file = makeFile(() => {})
  const target = await opened()
  await target.script(
    'create rule lowered as on insert to organization do also update organization set title = lower(title)',
  )
  try {
    await copyTo(file, target)
    assert.unreachable()
  } catch (error) {
    assert.match(String(error), /rows of the table organization are not the same/)
  }
  await target.close()
})

test.run()
