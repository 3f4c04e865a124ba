import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { startApp } from '../../support/app.ts'
import { publishedSite, readerOf } from '../../support/sites.ts'

const app = await startApp()
test.after(() => app.stop())

const newSpace = async (title: string): Promise<string> =>
  (await app.admin.post('/v1/orgs/acme/spaces', { title })).body.id

const urlsOf = async (path: string, caller = app.admin) => {
  const { status, text, body } = await caller.get(path)
  assert.is(status, 200, text)
  return body.urls
}

/** Publishes a site with two spaces. Returns the second, which is not the default. */
async function published(visibility: 'public' | 'unlisted' | 'share-link') {
  const [first, second] = [await newSpace('First'), await newSpace('Second')]
  const { id } = await publishedSite(app, [first, second])
  const site = `/v1/orgs/acme/sites/${id}`
  assert.is((await app.admin.patch(site, { visibility })).status, 200)
  const items = (await app.admin.get(`${site}/site-spaces`)).body.items
  return { id, site, first, space: second, onSite: `${site}/site-spaces`, path: items[1].path }
}

test('a share key gives a space the address that its link opens, also where it is embedded', async () => {
  const { site, space, onSite, path } = await published('share-link')
  const link = (await app.admin.post(`${site}/share-links`, { name: 'Team' })).body
  const key = new URL(link.urls.published).pathname.split('/').filter(Boolean).at(-1) as string
  const expected = `${link.urls.published.replace(/\/$/, '')}/${path}/`

  assert.is((await urlsOf(`/v1/spaces/${space}`)).published, undefined)
  assert.is((await urlsOf(`/v1/spaces/${space}?shareKey=unknown`)).published, undefined)
  assert.is((await urlsOf(`/v1/spaces/${space}?shareKey=${key}`)).published, expected)

  const embedded = async (query: string, list: string) => {
    const { body } = await app.admin.get(`${list}${query}`)
    const found = (body.items ?? body.structure.structure)[1]
    return [found.urls.published, found.space.urls.published]
  }

  for (const list of [onSite, `${site}/published`]) {
    assert.equal(await embedded('', list), [undefined, undefined])
    assert.equal(await embedded(`?shareKey=${key}`, list), [expected, expected])
  }

  const outside = await newSpace('Outside')
  assert.is((await urlsOf(`/v1/spaces/${outside}?shareKey=${key}`)).published, undefined)
  assert.is(
    (await app.admin.patch(`${site}/share-links/${link.id}`, { active: false })).status,
    200,
  )
  assert.is((await urlsOf(`/v1/spaces/${space}?shareKey=${key}`)).published, undefined)
})

test('a reader gets a space with its address on the site', async () => {
  const { id, space, onSite } = await published('public')
  const reader = readerOf(app, id)
  const [, item] = (await reader.get(onSite)).body.items

  assert.ok(item.urls.published)
  assert.is(item.space.urls.published, item.urls.published)
  const urls = await urlsOf(`/v1/spaces/${space}`, reader)

  assert.equal([urls.published, urls.public], [item.urls.published, item.urls.published])
})

for (const visibility of ['public', 'unlisted'] as const)
  test(`the primary content has the published addresses of its space (${visibility})`, async () => {
    const { id, site, first } = await published(visibility)
    const content = `/v1/spaces/${first}/content`
    const space = await urlsOf(`/v1/spaces/${first}`)
    const before = await urlsOf(content)

    assert.ok(space.published)
    assert.equal([before.published, before.public], [space.published, space.public])
    assert.is(before.public, visibility === 'public' ? space.published : undefined)
    assert.is((await urlsOf(content, readerOf(app, id))).published, space.published)

    const { revision } = (await app.admin.get(`/v1/spaces/${first}`)).body
    assert.is((await urlsOf(`/v1/spaces/${first}/revisions/${revision}`)).published, undefined)

    assert.is((await app.admin.post(`${site}/unpublish`)).status, 200)
    assert.is((await urlsOf(content)).published, undefined)
  })

test.run()
