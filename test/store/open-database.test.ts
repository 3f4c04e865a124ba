import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import Database from 'better-sqlite3'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { openDatabase } from '../../src/store/engine/sqlite/open-database.ts'
import { insertOrganization } from '../../src/store/people/organizations.ts'
import { Store } from '../../src/store/store.ts'

const folder = mkdtempSync(join(tmpdir(), 'stemma-store-'))
test.after(() => rmSync(folder, { recursive: true, force: true }))

let files = 0
const fresh = () => join(folder, `${++files}.db`)
const at = '2026-01-01T00:00:00.000Z'

/** A Stemma database with a few megabytes of rows. */
function filled(): string {
  const file = fresh()
  const store = new Store(file)
  store.transact(() => {
    for (let i = 0; i < 2000; i++)
      insertOrganization(store, { id: `org-${i}`, title: 'x'.repeat(1000), created_at: at })
  })
  store.checkpoint()
  store.close()

  return file
}

test('a database is marked as a Stemma database', () => {
  const database = openDatabase(filled(), { check: true })

  assert.is(database.pragma('application_id', { simple: true }), 0x53746d61)
  assert.is(database.pragma('mmap_size', { simple: true }), 0)
  database.close()
})

test('a database of another program is left unchanged', () => {
  for (const mark of ['application_id = 77', 'user_version = 3', 'user_version = 0']) {
    const file = fresh()
    const other = new Database(file)
    other.exec('create table photo (name text)')
    other.pragma(mark)
    other.close()
    const before = readFileSync(file)
    assert.throws(() => new Store(file), /another program: set STEMMA_DATA/)
    assert.equal(readFileSync(file), before)
  }
})

test('a database of a newer version is left unchanged', () => {
  const file = filled()
  const raw = new Database(file)
  raw.pragma('user_version = 999')
  raw.close()
  assert.throws(
    () => new Store(file),
    /schema 999, this program knows up to \d+\. Run the newer program\./,
  )
  const again = new Database(file)

  assert.is(again.pragma('user_version', { simple: true }), 999)
  again.close()
})

test('a damaged database is reported in one line that says what to do', () => {
  const hurts: ((file: string) => void)[] = [
    file => writeFileSync(file, 'no database at all, but long enough to be one'.repeat(100)),
    file => truncateSync(file, 1_000_000),
    file => {
      const bytes = readFileSync(file)
      for (let page = 20; page < 60; page++) bytes.fill(0xa5, page * 4096, page * 4096 + 2000)
      writeFileSync(file, bytes)
    },
  ]
  for (const hurt of hurts) {
    const file = filled()
    hurt(file)
    try {
      new Store(file, { check: true })
      assert.unreachable()
    } catch (error) {
      assert.match((error as Error).message, /^[^\n]* is damaged \([^\n]*"stemma restore"\.$/)
    }
  }
})

test('a checkpoint does not wait for readers, and reports how much of the log is left', () => {
  const file = filled()
  const store = new Store(file)
  const reader = new Database(file)
  reader.exec('begin')
  reader.prepare('select count(*) from organization').get()
  insertOrganization(store, { id: 'late', title: 'x'.repeat(100_000), created_at: at })

  // A checkpoint that waits for the reader takes five seconds each time; a slow disk is as slow
  // only now and then.
  const waits = Array.from({ length: 12 }, () => () => {
    const started = performance.now()
    assert.ok(store.checkpoint() > 100_000)
    return performance.now() - started > 4500
  })

  assert.not(
    waits.every(wait => wait()),
    'it waited for the reader',
  )
  reader.close()
  assert.is(store.checkpoint(), 0)
  store.close()
})

test('several processes migrate one database together, running each step once', async () => {
  const file = fresh()
  const open = `
    import { Store } from '${new URL('../../src/store/store.ts', import.meta.url)}'
    process.stdout.write('ready')
    process.stdin.once('data', () => {
      new Store(process.argv[1]).close()
      process.exit(0)
    })`
  const args = ['--import', 'tsx', '--input-type=module', '-e', open, file]
  const children = Array.from({ length: 4 }, () =>
    spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'pipe'] }),
  )
  const said = children.map(child => text(child.stderr))
  const codes = children.map(child => once(child, 'exit'))

  await Promise.all(children.map(child => once(child.stdout, 'data')))
  for (const child of children) child.stdin.write('go')
  for (const [at, code] of codes.entries()) assert.is((await code)[0], 0, await said[at])
})

test.run()
