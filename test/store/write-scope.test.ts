import { sql } from 'kysely'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { Oid } from '../../src/lib/oid.ts'
import { query, Store, sqlRows } from '../../src/store/store.ts'
import type { Declared } from '../../src/store/tables/table.ts'
import { type Tables, tableOf, tables } from '../../src/store/tables/tables.ts'

const store = new Store(':memory:')
test.after(() => store.close())

const names = (Object.keys(tables) as (keyof Tables)[]).filter(
  name => tableOf(name)?.engine === undefined,
)

/** Returns the tables without owned rows whose writes concern one space or one organization. */
const scoped = (key: 'spaceId' | 'organizationId') =>
  names.flatMap(name => {
    const { scope, owner } = tableOf(name) as Declared
    return !owner && scope[0] === key
      ? [{ name: name as 'ref', column: scope[1] as 'space_id' }]
      : []
  })

/** Adds a condition to a statement that every row fails. */
const never = sql<boolean>`false`

/**
 * Returns whether answers about the spaces "a" and "b" of the organizations "x" and "y" stay valid
 * across a write.
 */
function staysFor(write: () => unknown): { a: boolean; b: boolean } {
  const version = store.version()
  write()
  return {
    a: store.isCurrent(version, { spaceId: 'a', organizationId: 'x' }),
    b: store.isCurrent(version, { spaceId: 'b', organizationId: 'y' }),
  }
}

test('every table of both files is declared', () => {
  const found = store
    .all<{ name: string }>(
      sqlRows(sql`
        select name from main.sqlite_schema where type = 'table' and name not like 'sqlite_%'
        union all select name from derived.sqlite_schema where type = 'table' and name not like 'sqlite_%'`),
    )
    .map(({ name }) => name)
    // SQLite's own tables of the full-text index.
    .filter(name => !/^search_(?:title|heading|text)_/.test(name))
  assert.equal(found.sort(), [...names].sort())
})

test('a write that does not say whose rows it concerns invalidates all answers', () => {
  for (const name of names) {
    const { scope, owner } = tableOf(name) as Declared
    const stays = scope === 'derived' && !owner
    const write = () => store.run(query.deleteFrom(name as 'space').where(never))
    assert.equal(staysFor(write), { a: stays, b: stays }, name)
  }

  store.run(sqlRows(sql`create temporary table other (id text)`))
  const write = () => store.run(sqlRows(sql`delete from other`))
  assert.equal(staysFor(write), { a: false, b: false }, 'a table without a declaration')
})

test('rights, tokens, members and settings invalidate all answers, however they are written', () => {
  for (const table of [
    'permission',
    'member',
    'token',
    'team_member',
    'organization',
    'openapi_spec',
  ]) {
    for (const text of ['DELETE FROM', 'with one as (select 1) delete from']) {
      const write = () => store.run(sqlRows(sql`${sql.raw(text)} ${sql.table(table)} where false`))
      assert.equal(staysFor(write), { a: false, b: false }, `${text} ${table}`)
    }
  }
})

test('a write to the rows of one space invalidates its answers only', () => {
  for (const { name, column } of scoped('spaceId')) {
    const write = () => store.run(query.deleteFrom(name).where(column, '=', 'a').where(never))
    assert.equal(staysFor(write), { a: false, b: true }, name)
  }
  const settings = () =>
    store.run(query.updateTable('space').set({ title: 'New' }).where('id', '=', 'a'))
  assert.equal(staysFor(settings), { a: false, b: true })
})

test('an insert for one space invalidates its answers, an insert for several all of them', () => {
  const commit = (space_id: string) => ({ space_id, oid: 'x' as Oid, kind: 'edit' as const })
  const insert = (ids: string[]) => () =>
    store.transact(() => {
      store.run(sqlRows(sql`pragma defer_foreign_keys = on`))
      store.run(query.insertInto('service_commit').values(ids.map(commit)))
      throw new Error('rolled back')
    })
  const attempt = (ids: string[]) => staysFor(() => assert.throws(insert(ids)))
  assert.equal(attempt(['a']), { a: false, b: true })
  assert.equal(attempt(['a', 'b']), { a: false, b: false })
})

test('deleting a space invalidates all answers, and so does a condition that names several spaces', () => {
  const remove = () => store.run(query.deleteFrom('space').where('id', '=', 'a'))
  assert.equal(staysFor(remove), { a: false, b: false })
  const several = () => store.run(query.deleteFrom('ref').where('space_id', 'in', ['a', 'b']))
  assert.equal(staysFor(several), { a: false, b: false })
  const either = () =>
    store.run(
      query.deleteFrom('ref').where(eb => eb.or([eb('space_id', '=', 'a'), eb('name', '=', 'x')])),
    )

  assert.equal(staysFor(either), { a: false, b: false })
})

test('a write to the rows of one organization invalidates the answers of its spaces only', () => {
  for (const { name, column } of scoped('organizationId')) {
    const write = () => store.run(query.deleteFrom(name).where(column, '=', 'x').where(never))
    assert.equal(staysFor(write), { a: false, b: true }, name)
  }

  const settings = () =>
    store.run(query.updateTable('organization').set({ title: 'New' }).where('id', '=', 'x'))
  assert.equal(staysFor(settings), { a: false, b: true })
  const role = () =>
    store.run(query.updateTable('member').set({ role: 'read' }).where('organization_id', '=', 'x'))

  assert.equal(staysFor(role), { a: false, b: true })
})

test('deleting what owns other rows invalidates all answers, even if the statement names the organization', () => {
  for (const table of ['collection', 'team', 'openapi_spec'] as const) {
    const remove = () => store.run(query.deleteFrom(table).where('organization_id', '=', 'x'))
    assert.equal(staysFor(remove), { a: false, b: false }, table)
  }
  const remove = () => store.run(query.deleteFrom('organization').where('id', '=', 'x'))
  assert.equal(staysFor(remove), { a: false, b: false })
})

test('a row that moves to another space or organization invalidates all answers', () => {
  const transfer = () =>
    store.run(query.updateTable('space').set({ organization_id: 'y' }).where('id', '=', 'a'))
  assert.equal(staysFor(transfer), { a: false, b: false })
  const move = () =>
    store.run(query.updateTable('ref').set({ space_id: 'b' }).where('space_id', '=', 'a'))
  assert.equal(staysFor(move), { a: false, b: false })
})

test('discussions and the uses of tokens invalidate no answers, except where rows are deleted', () => {
  for (const table of names.filter(name => tables[name].scope === 'derived')) {
    const info = store.all(sqlRows<{ name: string }>(sql`pragma table_info(${sql.raw(table)})`))
    const column = sql.ref(info[0]?.name as string)
    const write = () =>
      store.run(sqlRows(sql`update ${sql.table(table)} set ${column} = ${column} where false`))
    assert.equal(staysFor(write), { a: true, b: true }, table)
  }

  const use = (set: { last_used_at: string; revoked_at?: string }) => () =>
    store.run(query.updateTable('token').set(set).where('id', '=', 't'))
  assert.equal(staysFor(use({ last_used_at: 'now' })), { a: true, b: true })
  const visit = () =>
    store.run(query.updateTable('session').set({ last_used_at: 'now' }).where('id', '=', 's'))

  assert.equal(staysFor(visit), { a: true, b: true })
  assert.equal(staysFor(use({ last_used_at: 'now', revoked_at: 'now' })), { a: false, b: false })
})

test('an answer without a space is invalidated by any write', () => {
  const version = store.version()
  store.run(query.deleteFrom('job').where(sql<boolean>`false`))
  assert.is(store.isCurrent(version, undefined), false)
})

test.run()
