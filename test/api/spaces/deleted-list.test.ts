import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { startApp } from '../../support/app.ts'

const app = await startApp()
test.after(() => app.stop())
const path = '/v1/orgs/acme/deleted-spaces'

const newSpace = async (title: string): Promise<string> =>
  (await app.admin.post('/v1/orgs/acme/spaces', { title, empty: true })).body.id

test('admins of the organization list its deleted spaces, and restore one by its id', async () => {
  const ids: string[] = []
  for (const title of ['A', 'B', 'C', 'Kept']) ids.push(await newSpace(title))
  for (const id of ids.slice(0, 3)) await app.admin.delete(`/v1/spaces/${id}`)

  const first = await app.admin.get(`${path}?limit=2`)
  assert.is(first.status, 200, first.text)
  const second = await app.admin.get(`${path}?limit=2&page=${first.body.next.page}`)
  const items = [...first.body.items, ...second.body.items]

  assert.equal(
    items.map(({ id }) => id),
    ids.slice(0, 3).reverse(),
  )
  assert.equal([first.body.count, second.body.count, second.body.next], [2, 1, undefined])
  for (const item of items) {
    assert.ok(item.deletedAt)
    assert.equal(item, (await app.admin.get(`/v1/spaces/${item.id}`)).body)
  }
  assert.is((await app.admin.post(`/v1/spaces/${items[1].id}/restore`)).status, 200)
  assert.is((await app.admin.get(path)).body.count, 2)
})

test('others do not list them', async () => {
  for (const role of ['create', 'read', null] as const)
    assert.is((await app.user(`Max ${role}`, role).get(path)).status, 403)
  assert.is((await app.user('Sid').get(path)).status, 404)
  assert.is((await app.anonymous.get(path)).status, 401)
  assert.is((await app.admin.get(`${path}?page=x`)).status, 400)
})

test.run()
