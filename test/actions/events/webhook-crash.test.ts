import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { isSigned, openReceiver } from '../../support/http/receiver.ts'
import { openKillable } from '../../support/killable.ts'
import { until } from '../../support/until.ts'

const secret = 'a secret of the receiver'
const receiver = await openReceiver()
const { serve, end, running, remove } = await openKillable({
  STEMMA_ALLOW_PRIVATE_REMOTES: 'true',
  // The server has another port after each start.
  STEMMA_PUBLIC_URL: 'http://stemma.example.org',
})

test.after(async () => {
  await remove()
  await receiver.stop()
})

const hooks = '/v1/orgs/default/webhooks'

test('a server killed between sending a delivery and recording it sends it again', async () => {
  let admin = await serve()
  const hook = await admin.post(hooks, {
    url: receiver.url,
    events: ['space_content_updated'],
    secret,
  })

  assert.is(hook.status, 201, hook.text)
  const space = (await admin.post('/v1/orgs/default/spaces', { title: 'Crash' })).body.id

  receiver.answer = response => {
    running()?.kill('SIGKILL')
    response.writeHead(204).end()
  }
  const changes = [{ operation: 'insert_page', title: 'Page', document: { markdown: 'Hello.\n' } }]

  await admin.post(`/v1/spaces/${space}/content`, { changes }).catch(() => {})
  await receiver.until(1)
  await running()?.ended
  receiver.answer = response => response.writeHead(204).end()
  admin = await serve()
  const [first, second] = await receiver.until(2)

  assert.is(second?.text, first?.text)
  assert.is(second?.headers['stemma-delivery'], first?.headers['stemma-delivery'])
  assert.ok(second && isSigned(second, secret))
  await until('the delivery succeeds', async () => {
    const { items } = (await admin.get(`${hooks}/${hook.body.id}/deliveries`)).body
    return items[0].state === 'success' || undefined
  })
  assert.is(receiver.received.length, 2)
  await end('SIGTERM')
})

for (const [point, happened] of [
  ['W3', false],
  ['W4', true],
  ['W6', true],
] as const) {
  test(`killed at ${point}, an edit is audited and delivered if and only if it happened`, async () => {
    let admin = await serve()
    const space = (await admin.post('/v1/orgs/default/spaces', { title: 'Crash' })).body.id
    await end('SIGTERM')
    receiver.received.length = 0
    admin = await serve({ STEMMA_CRASH_AT: point })
    const changes = [
      { operation: 'insert_page', title: 'Page', document: { markdown: 'Hello.\n' } },
    ]
    const before = await admin
      .post(`/v1/spaces/${space}/content`, { changes })
      .catch(() => undefined)

    assert.is(before, undefined)
    await running()?.ended
    admin = await serve()
    const events = (await admin.get(`/v1/orgs/default/audit-events?space=${space}`)).body.items
    const written = events.filter(
      ({ action }: { action: string }) => action === 'space.content_updated',
    )
    const { body: now } = await admin.get(`/v1/spaces/${space}`)
    const made = events.at(-1)

    assert.is(made.action, 'space.created')
    const moved = now.revision !== made.details.revision

    assert.is(written.length, moved ? 1 : 0)
    if (point !== 'W3') assert.is(moved, happened)

    if (moved) {
      assert.is(written[0].details.revision, now.revision)
      const [told] = await receiver.until(1)
      assert.is(told?.body.revisionId, now.revision)
      assert.is(told?.body.eventId, written[0].id)
    }

    await end('SIGTERM')
  })
}

test.run()
