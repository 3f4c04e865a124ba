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

test('neighbours in the table of contents are changed by two users, beside a conflict in a file', async () => {
  const { admin } = app
  const { body: space } = await admin.post('/v1/orgs/acme/spaces', { title: 'Guide' })
  const path = `/v1/spaces/${space.id}`
  const edit = async (where: string, ...changes: object[]) => {
    const edited = await admin.post(`${where}/content`, { changes })
    assert.is(edited.status, 200, edited.text)
  }
  const page = (title: string) => ({
    operation: 'insert_page',
    title,
    document: { markdown: `${title}.\n` },
  })
  await edit(path, page('First'), page('Last'))
  const { body: before } = await admin.get(`${path}/content/pages`)
  const idOf = (title: string) =>
    before.pages.find((found: { title: string }) => found.title === title).id
  const words = (markdown: string) => ({
    operation: 'update_page',
    page: idOf('First'),
    document: { markdown },
  })

  for (const subject of ['Rename', 'Add', 'Add and edit'])
    await admin.post(`${path}/change-requests`, { subject })
  await edit(`${path}/change-requests/1`, {
    operation: 'update_page',
    page: idOf('Last'),
    title: 'Final',
  })
  await edit(`${path}/change-requests/2`, page('End'), words('Ours.\n'))
  await edit(`${path}/change-requests/3`, page('More'), words('Theirs.\n'))

  const merge = async (number: number) =>
    (await admin.post(`${path}/change-requests/${number}/merge`)).body

  assert.is((await merge(1)).result, 'merge')
  assert.is((await merge(2)).result, 'merge')
  const refused = await merge(3)

  // The table of contents merges; only the page that both sides wrote is a conflict.
  assert.equal(
    [refused.result, refused.conflicts.map((conflict: { path: string }) => conflict.path)],
    ['conflicts', ['first.md']],
  )
  const { body: after } = await admin.get(`${path}/content/pages`)

  assert.equal(
    after.pages.map((found: { title: string }) => found.title),
    ['Guide', 'First', 'Final', 'End'],
  )
})

test.run()
