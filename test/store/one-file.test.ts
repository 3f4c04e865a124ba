import { sql } from 'kysely'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { query, Store, sqlRows } from '../../src/store/store.ts'

test('a statement that names tables of both files is refused as a bug', () => {
  const store = new Store(':memory:')
  const joined = query
    .selectFrom('space')
    .innerJoin('search_space', 'search_space.space_id', 'space.id')
    .select('space.id')
  const message = 'A statement joins search_space of derived.db and space of stemma.db.'
  assert.throws(() => store.all(joined), message)

  for (const text of [
    'select id from space where id in (select space_id from space_size)',
    'insert into space_size (space_id, bytes, measured_at) select id, 1, 1 from space',
    'update "search_space" set indexer = (select count(*) from "space")',
    'delete from revision where space_id not in (select id from space)',
  ])
    assert.throws(() => store.all(sqlRows(sql.raw(text))), /^A statement joins \w+ of derived.db/)
})

test('a statement of one file runs, and ids go from one to the other', () => {
  const store = new Store(':memory:')
  const ids = ['a', 'b']
  const known = sqlRows<{ id: string }>(
    sql`select value as id from json_each(${ids}) where value not in (select id from space)`,
  )
  assert.equal(store.all(known), [{ id: 'a' }, { id: 'b' }])
  assert.equal(store.all(query.selectFrom('search_space').select('space_id')), [])
})

test.run()
