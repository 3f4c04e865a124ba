import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { jobs } from '../../../src/jobs/all.ts'
import { randomId } from '../../../src/lib/digest.ts'
import { insertDelivery, nextDeliveryTime } from '../../../src/store/events/webhook-deliveries.ts'
import { sqlRows } from '../../../src/store/store.ts'
import { type App, startApp } from '../../support/app.ts'
import { until } from '../../support/until.ts'

const secret = 'hook-secret-3b1f9a7c5d2e'
const hooks = '/v1/orgs/acme/webhooks'
const url = 'https://203.0.114.7/hook'
const body = { url, events: ['*'], secret }

let app: App
test.before(async () => {
  app = await startApp()
})
test.after(() => app.stop())
test.after.each(async () => {
  for (const { id } of (await app.admin.get(hooks)).body.items)
    await app.admin.delete(`${hooks}/${id}`)
})

test('only admins of the organization can manage webhooks', async () => {
  const { body: made } = await app.admin.post(hooks, body)
  const member = app.user('Mia', 'create')
  const stranger = app.user('Sam')

  for (const path of [hooks, `${hooks}/${made.id}`, `${hooks}/${made.id}/deliveries`]) {
    assert.is((await member.get(path)).status, 403)
    assert.is((await stranger.get(path)).status, 404)
    assert.is((await app.anonymous.get(path)).status, 401)
  }

  assert.is((await member.post(hooks, body)).status, 403)
  assert.is((await member.patch(`${hooks}/${made.id}`, { active: false })).status, 403)
  assert.is((await member.delete(`${hooks}/${made.id}`)).status, 403)
  assert.is((await member.post(`${hooks}/${made.id}/ping`)).status, 403)
  assert.is((await app.admin.get(`${hooks}/none`)).status, 404)
})

test('unknown events are refused with the list of events', async () => {
  for (const events of [['none'], ['*', 'ping'], '*']) {
    const reply = await app.admin.post(hooks, { ...body, events })
    assert.is(reply.status, 400)
    assert.match(
      reply.body.error.message,
      /^"events" in the body: takes \["\*"\], or a list of one or more of /,
    )
  }
})

test('URLs of the internal network and insecure URLs are refused', async () => {
  const refused: [string, RegExp][] = [
    ['http://example.org/hook', /takes an https URL/],
    ['ftp://example.org/hook', /takes an https URL/],
    ['no address', /takes an https URL/],
    ['https://ada:secret@example.org/hook', /contains credentials/],
    ['https://127.0.0.1/hook', /private or reserved address/],
    ['https://localhost/hook', /private or reserved address/],
    ['https://2130706433/hook', /private or reserved address/],
    ['https://10.1.2.3/hook', /private or reserved address/],
    ['https://169.254.169.254/latest', /private or reserved address/],
    ['https://[::1]/hook', /private or reserved address/],
    ['https://[::ffff:192.168.0.1]/hook', /private or reserved address/],
    [`https://example.org/${'a'.repeat(2048)}`, /"url"/],
  ]
  for (const [address, why] of refused) {
    const reply = await app.admin.post(hooks, { ...body, url: address })
    assert.is(reply.status, 400, address)
    assert.match(reply.body.error.message, /^"url" in the body: /)
    assert.match(reply.body.error.message, why)
    const { body: made } = await app.admin.post(hooks, body)
    assert.is((await app.admin.patch(`${hooks}/${made.id}`, { url: address })).status, 400, address)
    await app.admin.delete(`${hooks}/${made.id}`)
  }
})

test('a URL that has become private is not called', async () => {
  const { body: made } = await app.admin.post(hooks, body)
  app.ctx.store.run(sqlRows(sql`update webhook set url = 'https://127.0.0.1:2/hook'`))
  const ping = (await app.admin.post(`${hooks}/${made.id}/ping`)).body
  const error = await until('the delivery is tried', async () => {
    const { body: tried } = await app.admin.get(`${hooks}/${made.id}/deliveries/${ping.id}`)
    return tried.attempts === 1 ? tried.error : undefined
  })
  assert.match(error, /private or reserved address/)
})

test('invalid properties are named', async () => {
  const refused: [object, RegExp][] = [
    [{ ...body, secret: 'short' }, /"secret" in the body/],
    [{ ...body, secret: 'a'.repeat(201) }, /"secret" in the body/],
    [{ ...body, events: [] }, /"events/],
    [{ ...body, events: ['*', 'comment_created'] }, /"events/],
    [{ ...body, events: ['everything'] }, /"events/],
    [{ url, events: ['*'] }, /"secret" in the body/],
    [{ ...body, surprise: 1 }, /surprise/],
  ]
  for (const [wrong, why] of refused) {
    const reply = await app.admin.post(hooks, wrong)
    assert.is(reply.status, 400, JSON.stringify(wrong))
    assert.match(reply.body.error.message, why)
  }
})

test('an organization can have twenty webhooks', async () => {
  for (let i = 0; i < 20; i++) assert.is((await app.admin.post(hooks, body)).status, 201)
  assert.is((await app.admin.post(hooks, body)).status, 409)
  assert.is((await app.admin.get(`${hooks}?limit=7`)).body.count, 7)
})

test('the same Idempotency-Key creates one webhook', async () => {
  const key = { 'idempotency-key': 'one-webhook' }
  const first = await app.admin.post(hooks, body, key)
  const second = await app.admin.post(hooks, body, key)
  assert.is(second.body.id, first.body.id)
  assert.is((await app.admin.get(hooks)).body.count, 1)
})

test('the secret is in no answer, no audit row and no file of the data folder', async () => {
  const made = await app.admin.post(hooks, body)
  const path = `${hooks}/${made.body.id}`
  const other = 'another-secret-77aa66bb55'
  const changed = await app.admin.patch(path, { secret: other, events: ['comment_created'] })

  await app.admin.post(`${path}/ping`)
  const answers = [
    made,
    changed,
    await app.admin.get(path),
    await app.admin.get(hooks),
    await app.admin.get(`${path}/deliveries`),
    await app.admin.get('/v1/orgs/acme/audit-events?limit=100'),
  ]

  for (const { text } of answers) assert.not.match(text, /hook-secret|another-secret/)
  const [updated] = (await app.admin.get('/v1/orgs/acme/audit-events?action=webhook.updated')).body
    .items

  assert.equal(updated.details, {
    changed: ['events', 'secret'],
    events: { from: ['*'], to: ['comment_created'] },
  })

  for (const name of ['stemma.db', 'stemma.db-wal']) {
    let bytes = ''
    try {
      bytes = readFileSync(join(app.dataDir, name), 'latin1')
    } catch {}
    assert.not.match(bytes, /hook-secret|another-secret/)
  }

  await app.admin.delete(path)
})

test('deliveries are stored for thirty days', async () => {
  const { body: made } = await app.admin.post(hooks, body)
  const path = `${hooks}/${made.id}`
  const old = (await app.admin.post(`${path}/ping`)).body
  const young = (await app.admin.post(`${path}/ping`)).body
  const at = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString()

  app.ctx.store.run(
    sqlRows(sql`update webhook_delivery set created_at = ${at(31)} where id = ${old.id}`),
  )
  app.ctx.store.run(
    sqlRows(sql`update webhook_delivery set created_at = ${at(29)} where id = ${young.id}`),
  )
  await jobs.tidy!(app.ctx, {}, { signal: new AbortController().signal, attempt: 1 })
  const { items } = (await app.admin.get(`${path}/deliveries`)).body

  assert.equal(
    items.map(({ id }: { id: string }) => id),
    [young.id],
  )
})

test('pausing a webhook abandons pending deliveries, and later events are delivered after it resumes', async () => {
  const { body: made } = await app.admin.post(hooks, { ...body, events: ['space_updated'] })
  const path = `${hooks}/${made.id}`
  const space = (await app.admin.post('/v1/orgs/acme/spaces', { title: 'S' })).body.id
  const off = await app.admin.patch(path, { active: false })

  assert.is(off.body.active, false)
  await app.admin.patch(`/v1/spaces/${space}`, { title: 'T' })
  assert.is((await app.admin.get(`${path}/deliveries`)).body.count, 0)
  await app.admin.patch(path, { active: true })
  await app.admin.patch(`/v1/spaces/${space}`, { title: 'U' })
  assert.is((await app.admin.get(`${path}/deliveries`)).body.count, 1)
})

test('long queues are abandoned and removed in batches, and nothing of them is sent later', async () => {
  const { store } = app.ctx
  const { body: made } = await app.admin.post(hooks, { ...body, events: ['comment_created'] })
  const path = `${hooks}/${made.id}`
  const most = 1_500
  const fill = () =>
    store.transact(() => {
      for (let n = 0; n < most; n++)
        insertDelivery(store, {
          id: randomId(),
          webhook_id: made.id,
          event_id: randomId(),
          event: 'comment_created',
          payload: '{}',
          created_at: '2999-01-01T00:00:00.000Z',
        })
    })
  const waiting = () => nextDeliveryTime(store, made.id) !== undefined
  const run = store.run.bind(store)
  let together = 0

  store.run = built => {
    const changed = run(built)
    together = Math.max(together, changed)
    return changed
  }

  try {
    fill()
    await app.admin.patch(path, { active: false })
    while (waiting()) await new Promise(resolve => setTimeout(resolve, 5))
    await app.admin.patch(path, { active: true })
    fill()
    await app.admin.patch(path, { active: false })
    await app.admin.patch(path, { active: true })
    assert.not.ok(waiting())
    assert.is((await app.admin.delete(path)).status, 204)
    assert.is(countDeliveries(), 0)
  } finally {
    store.run = run
  }

  assert.ok(together <= 200, `${together} rows at once`)

  function countDeliveries() {
    const of = sql`select count(*) as count from webhook_delivery where webhook_id = ${made.id}`
    return store.get(sqlRows<{ count: number }>(of))?.count
  }
})

test.run()
