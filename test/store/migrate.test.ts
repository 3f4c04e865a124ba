import { cpSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import Database from 'better-sqlite3'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { migrate } from '../../src/store/engine/sqlite/migrate.ts'

const top = mkdtempSync(join(tmpdir(), 'stemma-migrate-'))
test.after(() => rmSync(top, { recursive: true, force: true }))

const shipped = new URL('../../src/store/engine/sqlite/migrations/', import.meta.url)

/** The migrations of the program, and `next`, the files of a later version of it. */
function migrations(next: Record<string, string> = {}): URL {
  const folder = mkdtempSync(join(top, 'migrations-'))
  cpSync(shipped, folder, { recursive: true })
  for (const [name, sql] of Object.entries(next)) writeFileSync(join(folder, name), sql)
  return pathToFileURL(`${folder}/`)
}

/** A database of the first version with a user. */
function filled(): Database.Database {
  const database = new Database(':memory:')
  migrate(database)
  database.exec("insert into user (id, display_name, created_at) values ('ada', 'Ada', 't')")
  return database
}

const version = (database: Database.Database) =>
  database.pragma('user_version', { simple: true }) as number
const users = (database: Database.Database) =>
  database.prepare('select * from user').all() as Record<string, unknown>[]

const latest = Math.max(...readdirSync(shipped).map(name => Number(name.slice(0, 4))))
const nameOf = (at: number, name: string) => `${String(latest + at).padStart(4, '0')}-${name}.sql`

const later = {
  [nameOf(1, 'nicknames')]:
    "alter table user add column nickname text; update user set nickname = lower(display_name) || '!';",
  [nameOf(2, 'badges')]: 'create table badge (name text not null) strict;',
}

test('later migrations run in their order, and keep the rows', () => {
  const database = filled()
  const before = version(database)
  migrate(database, migrations(later))
  assert.equal([before, version(database)], [latest, latest + 2])
  assert.equal(
    users(database).map(({ id, nickname }) => [id, nickname]),
    [['ada', 'ada!']],
  )

  migrate(database, migrations(later))
  assert.is(version(database), latest + 2)
  database.close()
})

test('the branches of specs of an older database are mirrored, and its other refs are kept', () => {
  const before = mkdtempSync(join(top, 'migrations-'))
  for (const name of readdirSync(shipped))
    if (name < '0011') cpSync(new URL(name, shipped), join(before, name))
  const database = new Database(':memory:')
  migrate(database, pathToFileURL(`${before}/`))
  database.exec(`
    insert into organization (id, title, created_at) values ('acme', 'Acme', 't');
    insert into user (id, display_name, created_at) values ('ada', 'Ada', 't');
    insert into space (id, organization_id, title, created_by, created_at, updated_at)
      values ('docs', 'acme', 'Docs', 'ada', 't', 't');
    insert into ref (space_id, name, oid) values ('docs', 'refs/heads/main', 'a');
    insert into openapi_spec (id, organization_id, slug, last_version, created_at, updated_at)
      values ('1', 'acme', 'pets', 'b', 't', 't'), ('2', 'acme', 'cats', null, 't', 't')`)
  migrate(database)
  const refs = database.prepare('select space_id, name, oid from ref order by oid').raw().all()
  assert.equal(refs, [
    ['docs', 'refs/heads/main', 'a'],
    ['specs:acme', 'refs/heads/pets.1', 'b'],
  ])
  database.close()
})

test('a migration that fails leaves the database at the version before it', () => {
  const database = filled()
  const broken = { ...later, [nameOf(2, 'badges')]: 'create table badge (name text); oops;' }
  assert.throws(() => migrate(database, migrations(broken)), /syntax error/)
  assert.is(version(database), latest + 1)
  assert.is(database.prepare("select 1 from sqlite_schema where name = 'badge'").get(), undefined)

  migrate(database, migrations(later))
  assert.is(version(database), latest + 2)
  database.close()
})

test('a database of a newer program is refused', () => {
  const database = filled()
  migrate(database, migrations(later))
  const refusal = `The database has schema ${latest + 2}, this program knows up to ${latest}. Run the newer program.`
  assert.throws(
    () => migrate(database),
    (error: Error) => error.message === refusal,
  )
  assert.is(users(database)[0]?.nickname, 'ada!')
  database.close()
})

test('no two migrations of an engine have the same number', () => {
  for (const engine of ['sqlite', 'postgres']) {
    const folder = new URL(`../../src/store/engine/${engine}/migrations/`, import.meta.url)
    const numbers = readdirSync(folder).map(name => name.slice(0, 4))
    assert.equal([...new Set(numbers)], numbers, engine)
  }
})

test.run()
