import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { startApp } from '../../support/app.ts'

const app = await startApp()
const guest = app.user('Gus', null)
const creator = app.user('Cleo', 'create')
const reader = app.user('Rae', 'read')
test.after(() => app.stop())

const sites = '/v1/orgs/acme/sites'

async function newSpace(title: string): Promise<string> {
  return (await app.admin.post('/v1/orgs/acme/spaces', { title })).body.id
}

test('a site is created with its spaces, unpublished, and is read by those who see one of them', async () => {
  const [guides, api] = [await newSpace('Guides'), await newSpace('API')]
  const created = await creator.post(sites, { spaces: [guides, api, guides] })
  assert.is(created.status, 201, created.text)
  const site = created.body

  assert.equal(
    [site.title, site.basename, site.published, site.siteSpaces, site.visibility],
    ['Guides', 'guides', false, 2, 'public'],
  )
  assert.is(site.urls.published, undefined)
  assert.is(created.headers.get('location'), site.urls.location)
  const read = await reader.get(`${sites}/${site.id}`)

  assert.is(read.status, 200, read.text)
  assert.is(read.body.permissions.create, false)
  assert.is((await guest.get(`${sites}/${site.id}`)).status, 404)
})

test('two sites with the same title have different basenames', async () => {
  const [a, b] = [
    (await creator.post(sites, { title: 'Twice' })).body,
    (await creator.post(sites, { title: 'Twice' })).body,
  ]
  assert.equal([a.basename, b.basename], ['twice', 'twice-1'])
})

test('a guest sees the site of a readable space, and nothing of its other spaces', async () => {
  const [open, closed] = [await newSpace('Open'), await newSpace('Closed')]
  const { id } = (await app.admin.post(sites, { title: 'Both', spaces: [open, closed] })).body
  const given = await app.admin.post(`/v1/spaces/${open}/permissions`, {
    role: 'read',
    users: ['gus'],
  })

  assert.is(given.status, 204, given.text)
  assert.is((await guest.get(`${sites}/${id}`)).body.siteSpaces, 1)
  const { body } = await guest.get(sites)

  assert.equal([body.count, body.items.map((each: { id: string }) => each.id)], [1, [id]])
  assert.is((await guest.get(`${sites}?space=${closed}`)).body.count, 0)
})

test('filters of the list combine, and pages count their items', async () => {
  const { body } = await creator.get(`${sites}?title=TWI&published=false&type=basic&limit=1`)
  assert.equal([body.count, body.items[0].basename], [1, 'twice-1'])
  const next = (
    await creator.get(
      `${sites}?title=TWI&published=false&type=basic&limit=1&page=${body.next.page}`,
    )
  ).body

  assert.equal([next.items[0].basename, next.next], ['twice', undefined])
  assert.is((await creator.get(`${sites}?published=true`)).body.count, 0)
  assert.is((await creator.get(`${sites}?type=none`)).status, 400)
})

test('spaces that the caller may not place are refused', async () => {
  const closed = await newSpace('Own')
  await app.admin.patch(`/v1/spaces/${closed}`, { defaultLevel: 'read' })
  const answers = [
    await creator.post(sites, { spaces: ['nothing'] }),
    await reader.post(sites, { spaces: [closed] }),
    await creator.post(sites, { title: 'x' }),
    await creator.post(sites, { unknown: 1 }),
  ]

  assert.equal(
    answers.map(each => each.status),
    [404, 403, 400, 400],
  )
})

test.run()
