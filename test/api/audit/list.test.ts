import { sql } from 'kysely'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { atOnce } from '../../../src/lib/slices.ts'
import {
  type AuditFilter,
  insertAuditEvent,
  listAuditEvents,
} from '../../../src/store/events/audit-events.ts'
import { sqlRows } from '../../../src/store/store.ts'
import { type Actor, type App, startApp } from '../../support/app.ts'

const log = '/v1/orgs/acme/audit-events'

let app: App
let editor: Actor
let space: string
test.before(async () => {
  app = await startApp()
  editor = app.user('Edith', 'admin')
  space = (await app.admin.post('/v1/orgs/acme/spaces', { title: 'Handbook' })).body.id
  await editor.patch(`/v1/spaces/${space}`, { title: 'Guide', editMode: 'locked' })
  await editor.post(`/v1/spaces/${space}/change-requests`, { subject: 'Better' })
  await app.admin.post('/v1/orgs/acme/collections', { title: 'Shelf' })
})
test.after(() => app.stop())

// biome-ignore lint/suspicious/noExplicitAny: tests read answers of every shape
const actions = (items: any[]) => items.map(({ action }) => action)
const list = async (query: string) => (await app.admin.get(`${log}?${query}`)).body

test('every change is listed, newest first, with its actor and origin', async () => {
  const { items } = await list('')
  assert.equal(actions(items), [
    'collection.created',
    'change_request.opened',
    'space.updated',
    'space.created',
  ])
  const updated = items[2]
  assert.is(updated.actor.user.id, editor.id)
  assert.is(updated.address, '127.0.0.1')
  assert.equal(updated.target, { type: 'space', id: space })
  assert.equal(updated.details, {
    changed: ['title', 'editMode'],
    editMode: { from: 'live', to: 'locked' },
  })
  const reply = await app.admin.get(`${log}/${updated.id}`)

  assert.equal(reply.body, updated)
  const tokens = (await editor.get('/v1/user/tokens')).body.items

  assert.is(updated.token, tokens[0].id)
  assert.ok(updated.requestId)
})

test('filters by action, actor, target, space and time combine', async () => {
  const { items } = await list('')
  assert.is((await list(`action=space.created`)).count, 1)
  assert.is((await list(`actor=${editor.id}`)).count, 2)
  assert.is((await list(`actor=unknown`)).count, 0)
  assert.is((await list(`target=${space}`)).count, 2)
  assert.is((await list(`space=${space}`)).count, 3)
  assert.is((await list(`space=${space}&actor=${editor.id}&action=space.updated`)).count, 1)
  const [last, , second] = items

  assert.equal(actions((await list(`from=${second.createdAt}&to=${last.createdAt}`)).items), [
    'change_request.opened',
    'space.updated',
  ])
})

test('a page leads to the next one, and its cursor is valid for its own list only', async () => {
  const first = await list('limit=3')
  assert.is(first.count, 3)
  const rest = await list(`limit=3&page=${first.next.page}`)
  assert.equal([rest.count, rest.next], [1, undefined])
  assert.is((await app.admin.get(`${log}?limit=3&actor=ada&page=${first.next.page}`)).status, 400)
  for (const limit of ['0', '101', 'x'])
    assert.is((await app.admin.get(`${log}?limit=${limit}`)).status, 400)
  assert.is((await app.admin.get(`${log}?action=space.exploded`)).status, 400)
  assert.is((await app.admin.get(`${log}?from=yesterday`)).status, 400)
})

test('each list is read from an index', () => {
  const plan = (where: string) =>
    app.ctx.store
      .all(
        sqlRows<{ detail: string }>(
          sql.raw(
            `explain query plan select * from audit_event where organization_id = 'acme' ${where}
             and (created_at, seq) < ('2027', 5) order by created_at desc, seq desc limit 21`,
          ),
        ),
      )
      .map(({ detail }) => detail)
      .join('; ')

  const columns = [
    '',
    "and action = 'x'",
    "and user_id = 'x'",
    "and target_id = 'x'",
    "and space_id = 'x'",
  ]

  for (const where of columns) {
    const detail = plan(where)
    assert.match(detail, /SEARCH audit_event USING INDEX audit_event_by_/)
    assert.not.match(detail, /TEMP B-TREE/)
  }
})

test('combined filters find all matches among very many events, in steps', () => {
  const { store } = app.ctx
  const event = (n: number): Parameters<typeof insertAuditEvent>[1] => ({
    id: `busy-${n}`,
    organization_id: 'busy',
    action: n % 2 === 0 ? 'even' : 'odd',
    user_id: n % 3 === 0 ? null : `user-${n % 2}`,
    token_id: null,
    address: null,
    request_id: null,
    target_kind: 'comment',
    target_id: `target-${n % 1000}`,
    space_id: n % 5 === 0 ? null : `space-${n % 2}`,
    details: {},
    created_at: new Date(Date.UTC(2026, 0, 1) + Math.floor(n / 7)).toISOString(),
  })
  const rows = Array.from({ length: 9_000 }, (_, n) => event(n))
  store.transact(() => {
    for (const row of rows) insertAuditEvent(store, row)
  })
  const at = rows[6_000]?.created_at
  const conditions: AuditFilter[] = [
    { action: 'even', userId: 'user-1' },
    { action: 'even', userId: null },
    { action: 'odd', spaceId: 'space-1', userId: 'user-1' },
    { spaceId: 'space-0', targetId: 'target-2' },
    { spaceId: 'space-0', targetId: 'target-3' },
    { action: 'odd', userId: 'nobody' },
    { action: 'odd', userId: null, to: at },
    { action: 'even', spaceId: 'space-1', from: at },
  ]

  for (const filter of conditions) {
    const { action, userId, targetId, spaceId, from, to } = filter
    const wanted = rows.filter(
      row =>
        (action === undefined || row.action === action) &&
        (userId === undefined || row.user_id === userId) &&
        (targetId === undefined || row.target_id === targetId) &&
        (spaceId === undefined || row.space_id === spaceId) &&
        (from === undefined || row.created_at >= from) &&
        (to === undefined || row.created_at < to),
    )
    const found: string[] = []

    for (let before: [string, number] | undefined; ; ) {
      const page = atOnce(listAuditEvents(store, 'busy', filter, 700, before))
      found.push(...page.map(({ id }) => id))
      const last = page.at(-1)
      if (!last) break
      before = [last.created_at, last.seq]
    }

    assert.equal(found, wanted.map(({ id }) => id).reverse())
  }

  const steps = (filter: AuditFilter) => [...listAuditEvents(store, 'busy', filter, 20)].length

  assert.is(
    steps({ action: 'even', userId: 'user-1' }),
    1,
    'the 3,000 of the user, 2,000 at a time',
  )
  assert.is(steps({ action: 'even', targetId: 'target-3' }), 0, 'the nine of the target')
})

test('only admins of the organization can read the audit log', async () => {
  const id = (await list('')).items[0].id
  const member = app.user('Mia', 'create')
  for (const path of [log, `${log}/${id}`, '/v1/orgs/acme/audit-event-actions']) {
    assert.is((await member.get(path)).status, 403)
    assert.is((await app.user(`S${path.length}`).get(path)).status, 404)
    assert.is((await app.anonymous.get(path)).status, 401)
  }
  assert.is((await app.admin.get(`${log}/none`)).status, 404)
})

test('the actions are listed with their webhook events', async () => {
  const { items } = (await app.admin.get('/v1/orgs/acme/audit-event-actions')).body
  const find = (action: string) => items.find((item: { action: string }) => item.action === action)
  assert.equal(find('change_request.merged').webhookEvents, [
    'change_request_merged',
    'space_content_updated',
  ])
  assert.equal(find('token.created').webhookEvents, [])
})

test('events can be neither changed nor removed', () => {
  for (const text of ["update audit_event set action = 'x'", 'delete from audit_event'])
    assert.throws(
      () => app.ctx.store.run(sqlRows(sql.raw(text))),
      /what happened stays as it was written/,
    )
})

test('updates without effect and refused updates are not recorded', async () => {
  const before = (await list('limit=1')).items[0].id
  await editor.patch(`/v1/spaces/${space}`, { title: 'Guide' })
  await app.admin.post(`/v1/spaces/${space}/move`, { parent: 'none' })
  await app.admin.patch(`/v1/spaces/${space}`, { mergeRules: { type: 'surprise' } })
  assert.is((await list('limit=1')).items[0].id, before)
})

test('creating or revoking a token is recorded in each organization of its user, without the secret', async () => {
  const made = await editor.post('/v1/user/tokens', { name: 'CI of the handbook' })
  await editor.delete(`/v1/user/tokens/${made.body.id}`)
  const reply = await app.admin.get(`${log}?target=${made.body.id}`)
  assert.equal(actions(reply.body.items), ['token.revoked', 'token.created'])
  assert.not.match(reply.text, /CI of the handbook|stm_/)
})

test('the address comes from the proxy only if the proxy is trusted', async () => {
  const seen = async (env: Record<string, string>) => {
    const other = await startApp(env)
    const headers = { 'x-forwarded-for': '198.51.100.9, 203.0.113.5' }
    await other.admin.post('/v1/orgs/acme/collections', {}, headers)
    const { items } = (await other.admin.get(log)).body
    await other.stop()
    return items[0].address
  }

  assert.is(await seen({}), '127.0.0.1')
  assert.is(await seen({ STEMMA_TRUST_PROXY: 'loopback' }), '203.0.113.5')
  assert.is(await seen({ STEMMA_TRUST_PROXY: '1' }), '203.0.113.5')
  assert.is(await seen({ STEMMA_TRUST_PROXY: '2' }), '198.51.100.9')

  try {
    await startApp({ STEMMA_TRUST_PROXY: 'true' })
    assert.unreachable()
  } catch (error) {
    assert.match(
      (error as Error).message,
      /^STEMMA_TRUST_PROXY is "true"; it takes false, "loopback"/,
    )
  }
})

test.run()
