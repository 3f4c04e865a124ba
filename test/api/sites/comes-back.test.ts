import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { type Reply, startApp } from '../../support/app.ts'
import { readerOf } from '../../support/sites.ts'

const app = await startApp()
const { admin } = app
test.after(() => app.stop())

const sites = '/v1/orgs/acme/sites'

const fine = (reply: Reply): Reply['body'] => {
  assert.ok(reply.status < 300, reply.text)
  return reply.body
}

const newSpace = async (title: string): Promise<string> =>
  fine(await admin.post('/v1/orgs/acme/spaces', { title })).id

async function published(spaces: string[]): Promise<string> {
  const { id } = fine(await admin.post(sites, { spaces }))
  fine(await admin.post(`${sites}/${id}/publish`))
  return id
}

type Shown = { id: string; path: string; default: boolean; space: { id: string } }

/** The site spaces by the id of their space. */
async function shownOn(site: string): Promise<Map<string, Shown>> {
  const { items } = fine(await admin.get(`${sites}/${site}/site-spaces?limit=1000`))
  return new Map(items.map((each: Shown) => [each.space.id, each]))
}

const visibilityOf = async (space: string) =>
  fine(await admin.get(`/v1/spaces/${space}`)).visibility

test('a restored space whose path is taken comes back with another path, as the default it was', async () => {
  const [gone, heir] = [await newSpace('Gone'), await newSpace('Heir')]
  const site = await published([gone, heir])
  const before = await shownOn(site)
  assert.equal([before.get(gone)?.path, before.get(gone)?.default], ['gone', true])
  fine(await admin.delete(`/v1/spaces/${gone}`))
  const meanwhile = await shownOn(site)

  assert.equal([...meanwhile.keys()], [heir])
  assert.is(meanwhile.get(heir)?.default, true)
  fine(await admin.patch(`${sites}/${site}/site-spaces/${before.get(heir)?.id}`, { path: 'gone' }))
  fine(await admin.post(`/v1/spaces/${gone}/restore`))
  const after = await shownOn(site)

  assert.equal([after.get(gone)?.id, after.get(gone)?.path], [before.get(gone)?.id, 'gone-1'])
  assert.equal([after.get(heir)?.id, after.get(heir)?.path], [before.get(heir)?.id, 'gone'])
  assert.equal([after.get(gone)?.default, after.get(heir)?.default], [true, false])
  assert.is(await visibilityOf(gone), 'public')
})

test('the visibility of a restored space is that of its sites now', async () => {
  const space = await newSpace('Again')
  const site = await published([space])
  fine(await admin.delete(`/v1/spaces/${space}`))
  fine(await admin.patch(`${sites}/${site}`, { visibility: 'share-link' }))
  fine(await admin.post(`/v1/spaces/${space}/restore`))
  assert.is(await visibilityOf(space), 'share-link')
})

test('a hostname of a deleted site can be claimed; reading tokens of the deleted site are dead', async () => {
  const [one, two] = [await newSpace('One'), await newSpace('Two')]
  const settings = { hostname: 'docs.example.org' }
  const first = await published([one])
  fine(await admin.patch(`${sites}/${first}`, settings))
  const reader = readerOf(app, first)

  assert.is((await reader.get(`/v1/spaces/${one}/content`)).status, 200)
  assert.is((await admin.patch(`${sites}/${await published([two])}`, settings)).status, 409)
  fine(await admin.delete(`${sites}/${first}`))
  const second = await published([two, one])

  fine(await admin.patch(`${sites}/${second}`, settings))
  const { site } = fine(
    await app.anonymous.post('/v1/urls/published', { url: 'https://docs.example.org/' }),
  )

  assert.is(site, second)
  const reads = [
    `/v1/spaces/${one}/content`,
    `/v1/spaces/${two}/content`,
    `${sites}/${first}/published`,
    `${sites}/${second}/published`,
  ]

  for (const path of reads) {
    assert.is((await reader.get(path)).status, 401, path)
    assert.is(
      (await readerOf(app, second).get(path)).status,
      path.includes(first) ? 404 : 200,
      path,
    )
  }
})

test.run()
