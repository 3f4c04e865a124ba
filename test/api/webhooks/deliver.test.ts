import { sql } from 'kysely'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { sqlRows } from '../../../src/store/store.ts'
import { type App, startApp } from '../../support/app.ts'
import { isSigned, openReceiver, type Receiver } from '../../support/http/receiver.ts'
import { until } from '../../support/until.ts'

const secret = 'a secret of the receiver'
const hooks = '/v1/orgs/acme/webhooks'

let app: App
let receiver: Receiver
test.before(async () => {
  app = await startApp({ STEMMA_ALLOW_PRIVATE_REMOTES: 'true' })
})
test.after(() => app.stop())
test.before.each(async () => {
  receiver = await openReceiver()
})
test.after.each(async () => {
  for (const { id } of (await app.admin.get(hooks)).body.items)
    await app.admin.delete(`${hooks}/${id}`)
  await receiver.stop()
})

const make = async (events: string[], url = receiver.url): Promise<string> => {
  const reply = await app.admin.post(hooks, { url, events, secret })
  assert.is(reply.status, 201, reply.text)
  return `${hooks}/${reply.body.id}`
}

const makeSpace = async (): Promise<string> =>
  (await app.admin.post('/v1/orgs/acme/spaces', { title: 'Handbook' })).body.id

const edit = (path: string, markdown: string) => {
  const change = { operation: 'insert_page', title: `Page ${markdown}`, document: { markdown } }
  return app.admin.post(`${path}/content`, { changes: [change] })
}

const settled = (hook: string, state: string) =>
  until(`a delivery has the state ${state}`, async () => {
    const { items } = (await app.admin.get(`${hook}/deliveries`)).body
    return items[0]?.state === state && items[0]?.attempts > 0 ? items : undefined
  })

/** Makes pending retries due now. */
const hasten = () => {
  app.ctx.store.run(
    sqlRows(sql`update webhook_delivery set next_attempt_at = created_at where state = 'waiting'`),
  )
  app.ctx.store.run(sqlRows(sql`update job set run_at = 0 where kind = 'deliver-webhook'`))
  app.ctx.wake()
}

test('events of a space are delivered in order, with a valid signature', async () => {
  await make(['*'])
  const space = await makeSpace()
  const path = `/v1/spaces/${space}`
  const written = await edit(path, 'Hello.\n')

  assert.is(written.status, 200, written.text)
  const request = (await app.admin.post(`${path}/change-requests`, {})).body

  await app.admin.patch(`${path}/change-requests/${request.id}`, {
    subject: 'Better',
    status: 'open',
  })
  await edit(`${path}/change-requests/${request.id}`, 'More.\n')
  const merged = await app.admin.post(`${path}/change-requests/${request.id}/merge`)

  assert.is(merged.body.result, 'merge')
  await app.admin.patch(path, { title: 'Guide' })
  const [made, ...got] = await receiver.until(8)

  assert.equal(
    [made?.body.type, made?.body.target],
    ['space_created', { type: 'space', id: space }],
  )
  assert.equal(
    got.map(({ body }) => body.type),
    [
      'space_content_updated',
      'change_request_updated',
      'change_request_opened',
      'change_request_updated',
      'change_request_merged',
      'space_content_updated',
      'space_updated',
    ],
  )

  for (const one of got) {
    assert.ok(isSigned(one, secret), one.text)
    assert.not(isSigned(one, 'another secret of somebody'))
    assert.not(isSigned({ ...one, text: `${one.text} ` }, secret))
    assert.is(one.headers['stemma-event'], one.body.type)
    assert.is(one.headers['content-type'], 'application/json')
    assert.is(one.headers['user-agent'], 'Stemma')
    assert.equal(
      [one.body.organizationId, one.body.spaceId, one.body.actor],
      ['acme', space, { id: app.admin.id }],
    )
    assert.not.match(one.text, /Better|Guide|Hello/)
  }

  assert.is(got[0]?.body.revisionId, written.body.revision)
  assert.is(got[5]?.body.revisionId, merged.body.revision)
  assert.is(new Set(got.map(({ body }) => body.eventId)).size, 7, 'each has an id of its own')
})

test('a webhook gets only its events, and a deleted one none', async () => {
  const hook = await make(['change_request_opened'])
  const path = `/v1/spaces/${await makeSpace()}`
  await edit(path, 'Hello.\n')
  await app.admin.post(`${path}/change-requests`, { subject: 'First' })
  await receiver.until(1)
  await app.admin.delete(hook)
  await app.admin.post(`${path}/change-requests`, { subject: 'Second' })
  await new Promise(resolve => setTimeout(resolve, 200))
  assert.equal(
    receiver.received.map(({ body }) => body.type),
    ['change_request_opened'],
  )
})

test('a failing receiver is retried later, and its response is shown', async () => {
  const hook = await make(['*'])
  receiver.answer = response => response.writeHead(500).end('broken')
  assert.is((await app.admin.post(`${hook}/ping`)).status, 202)
  await receiver.until(1)
  const [failed] = await settled(hook, 'waiting')

  assert.is(failed.statusCode, 500)
  assert.match(failed.error, /^127\.0\.0\.1:\d+ answered 500\.$/)
  const wait = Date.parse(failed.nextAttemptAt) - Date.parse(failed.attemptedAt)

  assert.ok(Math.abs(wait - 10_000) < 100, String(wait))
  assert.ok((await app.admin.get(hook)).body.failingSince)
  receiver.answer = response => response.writeHead(200).end()
  hasten()
  const [first, second] = await receiver.until(2)

  assert.is(first?.text, second?.text)
  assert.is(first?.headers['stemma-delivery'], second?.headers['stemma-delivery'])
  const [done] = await settled(hook, 'success')

  assert.equal([done.attempts, done.statusCode, done.error], [2, 200, undefined])
  assert.is((await app.admin.get(hook)).body.failingSince, undefined)
})

test('a redirect is not followed', async () => {
  const other = await openReceiver()
  const hook = await make(['*'])
  receiver.answer = response => response.writeHead(307, { location: other.url }).end()
  await app.admin.post(`${hook}/ping`)
  const [failed] = await settled(hook, 'waiting')
  assert.match(failed.error, /answered 307, and redirects are not followed/)
  assert.is(other.received.length, 0)
  await other.stop()
})

test('a receiver that switches protocols counts as failed', async () => {
  const hook = await make(['*'])
  receiver.answer = response =>
    response.socket?.write(
      'HTTP/1.1 101 Switching\r\nConnection: Upgrade\r\nUpgrade: other\r\n\r\n',
    )
  await app.admin.post(`${hook}/ping`)
  const [failed] = await settled(hook, 'waiting')
  assert.equal([failed.attempts, failed.statusCode], [1, 101])
})

test('an endless response is cut off and counts by its status', async () => {
  const hook = await make(['*'])
  let closed = false
  receiver.answer = response => {
    response.writeHead(200)
    response.once('close', () => {
      closed = true
    })
    const more = () => {
      while (!closed && response.write(Buffer.alloc(16_384, 'x')));
    }
    response.on('drain', more)
    more()
  }
  await app.admin.post(`${hook}/ping`)
  const [done] = await settled(hook, 'success')

  assert.is(done.statusCode, 200)
  for (let tries = 0; !closed && tries < 1000; tries++)
    await new Promise(resolve => setTimeout(resolve, 20))
  assert.ok(closed)
  receiver.answer = response => response.destroy()
  await app.admin.post(`${hook}/ping`)
  const [failed] = await settled(hook, 'waiting')

  assert.match(failed.error, /could not be reached/)
})

test('a hanging receiver is abandoned after five seconds and blocks no other', async () => {
  receiver.answer = () => {}
  const silent = []
  for (let i = 0; i < 8; i++) silent.push(await make(['*'], `${receiver.url}/${i}`))
  for (const hook of silent) await app.admin.post(`${hook}/ping`)
  await receiver.until(4)
  const other = await openReceiver()
  const hook = await make(['*'], other.url)

  await app.admin.post(`${hook}/ping`)
  const [told] = await other.until(1)

  // At most two rounds of silent receivers, and of a third those that were retried just before.
  const before = receiver.received.filter(({ at }) => at < told!.at)

  assert.ok(before.length < 12, `${before.length} were asked before it`)
  const [late] = await settled(silent[0] as string, 'waiting')

  assert.match(late.error, /took too long to answer/)
  await other.stop()
})

test('a delivery can be resent with the same body and a new signature', async () => {
  const hook = await make(['*'])
  const ping = (await app.admin.post(`${hook}/ping`)).body
  await settled(hook, 'success')
  const again = await app.admin.post(`${hook}/deliveries/${ping.id}/redeliver`)

  assert.is(again.status, 202, again.text)
  assert.is(again.body.redeliveryOf, ping.id)
  assert.equal(again.body.payload, ping.payload)
  const [first, second] = await receiver.until(2)

  assert.is(first?.text, second?.text)
  assert.ok(second && isSigned(second, secret))
  assert.is(second?.headers['stemma-delivery'], again.body.id)
  await settled(hook, 'success')
  const filtered = async (state: string) =>
    (await app.admin.get(`${hook}/deliveries?state=${state}`)).body.count

  assert.equal([await filtered('success'), await filtered('failure')], [2, 0])
  const one = await app.admin.get(`${hook}/deliveries?limit=1`)
  const two = await app.admin.get(`${hook}/deliveries?limit=1&page=${one.body.next.page}`)

  assert.equal([one.body.items[0].id, two.body.items[0].id], [again.body.id, ping.id])
})

test('a delivery is abandoned after eight retries, and a webhook is paused after seven days without success', async () => {
  const hook = await make(['*'])
  receiver.answer = response => response.writeHead(503).end()
  await app.admin.post(`${hook}/ping`)

  for (let attempt = 1; attempt <= 9; attempt++) {
    await receiver.until(attempt)
    await settled(hook, attempt < 9 ? 'waiting' : 'failure')
    hasten()
  }

  const [over] = await settled(hook, 'failure')

  assert.equal([over.attempts, over.nextAttemptAt], [9, undefined])
  assert.is((await app.admin.get(hook)).body.active, true)
  const longAgo = new Date(Date.now() - 7 * 86_400_000).toISOString()

  app.ctx.store.run(sqlRows(sql`update webhook set failing_since = ${longAgo}`))
  await app.admin.post(`${hook}/ping`)
  await settled(hook, 'failure')
  const paused = (await app.admin.get(hook)).body

  assert.equal([paused.active, paused.failingSince], [false, longAgo])
  const [told] = (await app.admin.get('/v1/orgs/acme/audit-events?action=webhook.updated')).body
    .items

  assert.equal([told.actor, told.details.failing], [{ type: 'unknown' }, true])
  assert.is((await app.admin.post(`${hook}/ping`)).status, 409)
  const on = await app.admin.patch(hook, { active: true })

  assert.equal([on.body.active, on.body.failingSince], [true, undefined])
  receiver.answer = response => response.writeHead(200).end()
  assert.is((await app.admin.post(`${hook}/ping`)).status, 202)
  await settled(hook, 'success')
})

test('a delivery in progress during a pause is not marked for retry', async () => {
  let end = () => {}
  receiver.answer = response => {
    end = () => response.writeHead(500).end()
  }
  const hook = await make(['space_updated'])
  await app.admin.post(`${hook}/ping`)
  await receiver.until(1)
  await app.admin.patch(hook, { active: false })
  end()
  const [delivery] = await settled(hook, 'failure')

  assert.equal(
    [delivery.attempts, delivery.statusCode, delivery.nextAttemptAt],
    [1, 500, undefined],
  )
})

test.run()
