import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { startApp } from '../../support/app.ts'

const app = await startApp()
const member = app.user('Max', 'read')
const creator = app.user('Cleo', 'create')
const stranger = app.user('Sid')

test.after(() => app.stop())

async function make(title: string, parent?: string): Promise<string> {
  return (await app.admin.post('/v1/orgs/acme/collections', { title, ...(parent && { parent }) }))
    .body.id
}

const top = async () =>
  (await app.admin.get('/v1/orgs/acme/collections?nested=false')).body.items.map(
    (item: { id: string }) => item.id,
  )
const move = (id: string, body: unknown) => creator.post(`/v1/collections/${id}/move`, body)
const pointer = (collection: string) => ({ type: 'collection', collection })

const [a, b, c] = [await make('A'), await make('B'), await make('C')]

test('a collection moves among its siblings', async () => {
  const moved = await move(c, { position: { before: pointer(a) } })
  assert.is(moved.status, 200)
  assert.is(moved.body.id, c)
  assert.equal(await top(), [c, a, b])
  assert.is((await move(c, { position: { after: pointer(a) } })).status, 200)
  assert.equal(await top(), [a, c, b])
  assert.is((await move(a, { parent: null })).status, 200)
  assert.equal(await top(), [c, b, a])
})

test('a move that is repeated succeeds, and changes nothing', async () => {
  const [first = '', second = '', last = ''] = await top()
  for (const body of [
    { parent: null },
    { position: {} },
    { position: { after: pointer(second) } },
  ]) {
    assert.is((await move(last, body)).status, 200, JSON.stringify(body))
  }

  assert.is((await move(first, { position: { before: pointer(second) } })).status, 200)
  assert.equal(await top(), [first, second, last])
})

test('a collection moves with its content, but never into itself', async () => {
  const inner = await make('Inner', b)
  const moved = await move(b, { parent: a })
  assert.is(moved.body.parent, a)
  assert.is((await app.admin.get(`/v1/collections/${inner}`)).body.parent, b)

  for (const parent of [a, b, inner]) {
    const refused = await move(a, { parent })
    assert.is(refused.status, 409)
    assert.match(refused.body.error.message, /cannot be moved into itself/)
  }

  assert.not('parent' in (await move(b, { parent: null, position: { before: pointer(a) } })).body)
  assert.equal((await top()).slice(-2), [b, a])
})

test('an invalid move is refused with a reason', async () => {
  assert.is((await move(a, {})).status, 400)
  assert.is((await move(a, { position: { before: pointer('unknown') } })).status, 400)
  assert.is((await move(a, { position: { before: pointer(a) } })).status, 400)
  assert.is((await move(a, { position: { before: { type: 'space', space: b } } })).status, 400)
  assert.is((await move(a, { parent: 'unknown' })).status, 404)
  assert.is((await member.post(`/v1/collections/${a}/move`, { parent: b })).status, 403)
  assert.is((await stranger.post(`/v1/collections/${a}/move`, { parent: b })).status, 404)
  assert.is((await app.anonymous.post(`/v1/collections/${a}/move`, { parent: b })).status, 401)
})

test.run()
