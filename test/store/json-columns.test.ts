import { sql } from 'kysely'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { insertOrganization } from '../../src/store/people/organizations.ts'
import { query, Store, sqlRows } from '../../src/store/store.ts'

const store = new Store(':memory:')
const rules = { type: 'rules' as const, rules: [{ rule: 'allow_bypass' as const, users: ['u'] }] }
test.before(() => {
  insertOrganization(store, { id: 'acme', title: 'Acme', created_at: '2026-01-01T00:00:00.000Z' })
})
test.after(() => store.close())

const acme = query.selectFrom('organization').where('id', '=', 'acme')
const stored = () =>
  store.get(
    sqlRows<{ text: string | null }>(
      sql`select cast(merge_rules as text) as text from organization where id = 'acme'`,
    ),
  )?.text

test('an object is written as JSON text, and read as an object', () => {
  store.run(query.updateTable('organization').set({ merge_rules: rules }))
  assert.is(stored(), JSON.stringify(rules))
  assert.equal(store.get(acme.select('merge_rules'))?.merge_rules, rules)
})

test('the default of a column is read as a value, null as null', () => {
  const row = store.get(acme.selectAll())
  assert.equal([row?.email_domains, row?.default_content], [[], null])
})

test('a column is found below an alias, in a subquery and in "returning"', () => {
  assert.equal(store.get(acme.select('merge_rules as held'))?.held, rules)
  const inner = acme.select('merge_rules as inner').as('given')
  assert.equal(store.get(query.selectFrom(inner).select('inner as outer'))?.outer, rules)
  const update = query.updateTable('organization').set({ email_domains: ['example.org'] })
  assert.equal(store.get(update.returning('email_domains as domains'))?.domains, ['example.org'])
  assert.equal(store.all(update.returningAll())[0]?.merge_rules, rules)
})

test('the JSON of an expression is read if the query names it', () => {
  const list = sql`select json_array(1, 'a') as list, '[1]' as text`
  assert.equal(store.get(sqlRows(list)), { list: '[1,"a"]', text: '[1]' })
  const named = sqlRows<{ list: unknown[]; text: string }>(sql`${list}, 1 as n`, ['list'])
  assert.equal(store.get(named), { list: [1, 'a'], text: '[1]', n: 1 })
})

test('a list is bound as JSON text, bytes as bytes', () => {
  const rows = sqlRows<{ value: string }>(sql`select value from json_each(${['a', 'b']})`)
  assert.equal(
    store.all(rows).map(row => row.value),
    ['a', 'b'],
  )
  const type = sqlRows<{ type: string }>(sql`select typeof(${Buffer.from('{}')}) as type`)
  assert.is(store.get(type)?.type, 'blob')
})

test.run()
