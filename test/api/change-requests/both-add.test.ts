import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { type App, startApp } from '../../support/app.ts'

let app: App

test.before(async () => {
  app = await startApp()
})
test.after(async () => {
  await app.stop()
})

test('two users who each append a page both succeed without a conflict', async () => {
  const { admin } = app
  const { body: space } = await admin.post('/v1/orgs/acme/spaces', { title: 'Handbook' })
  const path = `/v1/spaces/${space.id}`

  for (const title of ['Ours', 'Theirs']) {
    const { body: request } = await admin.post(`${path}/change-requests`, { subject: title })
    const added = await admin.post(`${path}/change-requests/${request.number}/content`, {
      changes: [{ operation: 'insert_page', title, document: { markdown: `${title}.\n` } }],
    })
    assert.is(added.status, 200, added.text)
  }

  for (const number of [1, 2]) {
    const merged = await admin.post(`${path}/change-requests/${number}/merge`)
    assert.is(merged.body.result, 'merge', merged.text)
  }

  const { body } = await admin.get(`${path}/content/pages`)

  assert.equal(
    body.pages.map((page: { title: string }) => page.title),
    ['Handbook', 'Ours', 'Theirs'],
  )
})

test.run()
