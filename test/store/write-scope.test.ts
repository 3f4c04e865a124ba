import { sql } from 'kysely'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { query, Store, sqlRows } from '../../src/store/store.ts'

const store = new Store(':memory:')
test.after(() => store.close())

/** Tables that neither rights nor answers depend on. Any other table has to invalidate answers. */
const derived = new Set([
  'audit_event',
  'blob_facts',
  'blob_links',
  'blob_media',
  'former_path',
  'former_path_scan',
  'idempotency',
  'job',
  'operation',
  'page_feedback',
  'page_feedback_reader',
  'search_heading',
  'search_page',
  'search_sections',
  'search_space',
  'search_text',
  'search_title',
  'space_size',
  'sso_assertion',
  'sso_code',
  'sso_identity',
  'sso_request',
  'webhook_delivery',
])
/** Tables that no kept answer shows; deleting a row may delete rows of other tables. */
const unread = [
  'change_request',
  'change_request_contributor',
  'comment_reply',
  'git_sync_operation',
  'reaction',
  'requested_reviewer',
  'review',
] as const
const ofSpace = [
  'comment',
  'git_sync',
  'published_jump',
  'ref',
  'revision',
  'revision_path',
  'service_commit',
] as const
const ofOrganization = [
  'invitation',
  'link_invite',
  'member',
  'organization_key',
  'sso_provider',
  'webhook',
] as const

const tables = store
  .all<{ name: string }>(
    sqlRows(sql`
      select name from main.sqlite_schema where type = 'table' and name not like 'sqlite_%'
      union all select name from derived.sqlite_schema where type = 'table' and name not like 'sqlite_%'`),
  )
  .map(({ name }) => name)
  // SQLite's own tables of the full-text index.
  .filter(name => !/^search_(?:title|heading|text)_/.test(name))

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

test('a write to any table invalidates all answers, except for derived tables', () => {
  assert.ok(tables.includes('permission') && tables.includes('token'), tables.join())
  for (const table of tables) {
    const stays = derived.has(table)
    const write = () => store.run(query.deleteFrom(table as 'space').where(sql<boolean>`false`))
    assert.equal(staysFor(write), { a: stays, b: stays }, table)
  }
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
  for (const table of ofSpace) {
    const write = () =>
      store.run(query.deleteFrom(table).where('space_id', '=', 'a').where(sql<boolean>`false`))
    assert.equal(staysFor(write), { a: false, b: true }, table)
  }
  const settings = () =>
    store.run(query.updateTable('space').set({ title: 'New' }).where('id', '=', 'a'))
  assert.equal(staysFor(settings), { a: false, b: true })
})

test('an insert for one space invalidates its answers, an insert for several all of them', () => {
  const commit = (space_id: string) => ({ space_id, oid: 'x', kind: 'edit' as const })
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
  for (const table of ofOrganization) {
    const write = () =>
      store.run(
        query.deleteFrom(table).where('organization_id', '=', 'x').where(sql<boolean>`false`),
      )
    assert.equal(staysFor(write), { a: false, b: true }, table)
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
  for (const table of unread) {
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
