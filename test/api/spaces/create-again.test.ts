import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { deleteOldAnswers } from '../../../src/store/events/idempotency.ts'
import { type App, startApp } from '../../support/app.ts'

let app: App
test.before(async () => {
  app = await startApp()
})
test.after(() => app.stop())

/** A server that stops between its work and storing its answer leaves one without the other. */
const forgetAnswers = () =>
  deleteOldAnswers(app.ctx.store, new Date('9999-01-01T00:00:00.000Z'), 1_000)

for (const [what, path] of [
  ['made', async () => '/v1/orgs/acme/spaces'],
  [
    'copied',
    async () =>
      `/v1/spaces/${(await app.admin.post('/v1/orgs/acme/spaces', {})).body.id}/duplicate`,
  ],
] as const) {
  test(`a space is ${what} once for a key, also when the server stops before it answers`, async () => {
    const to = await path()
    const headers = { 'idempotency-key': `key-${what}` }
    const body = what === 'made' ? { title: 'Once' } : undefined
    const first = await app.admin.post(to, body, headers)

    assert.is(first.status, 201, first.text)
    forgetAnswers()
    const again = await app.admin.post(to, body, headers)

    assert.is(again.status, 201, again.text)
    assert.is(again.body.id, first.body.id)
    forgetAnswers()
    const other = await app.admin.post(to, body, { 'idempotency-key': `other-${what}` })

    assert.is.not(other.body.id, first.body.id)
  })
}

test.run()
