import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { startApp } from '../../support/app.ts'
import { newGroup, newSection, newSite, type SiteUnderTest } from './world.ts'

const app = await startApp()
const creator = app.user('Cleo', 'create')
const reader = app.user('Rae', 'read')
test.after(() => app.stop())

const link = { title: 'Blog', url: 'https://blog.example.org' }
const add = (site: SiteUnderTest, more: object = {}, by = creator) =>
  by.post(`${site.path}/external-links`, { ...link, ...more })

/** The titles of a structure in their order; groups with their children. */
async function titlesOf(site: SiteUnderTest) {
  const { structure } = (await creator.get(`${site.path}/structure`)).body
  type Item = { title: string; children?: Item[] }
  const title = ({ title: own, children }: Item): unknown =>
    children ? [own, ...children.map(title)] : own
  return structure.map(title)
}

test('a link is added, changed, moved and deleted', async () => {
  const site = await newSite(app)
  const guides = await newSection(app, site, 'Guides')
  const made = await add(site, { description: 'News', icon: 'rss' })
  assert.is(made.status, 201, made.text)
  assert.is(made.headers.get('location'), `${app.url}${site.path}/external-links/${made.body.id}`)
  assert.equal(made.body, {
    object: 'site-external-link',
    id: made.body.id,
    title: 'Blog',
    description: 'News',
    icon: 'rss',
    url: 'https://blog.example.org/',
    draft: false,
  })
  const api = await newSection(app, site, 'API')
  assert.equal(await titlesOf(site), ['Guides', 'Blog', 'API'])

  const item = { type: 'site-external-link', id: made.body.id }
  const sorted = await creator.patch(`${site.path}/structure/sort`, {
    item,
    position: { before: { type: 'site-section', id: guides.id } },
  })
  assert.equal([sorted.status, sorted.body.title], [200, 'Blog'])
  assert.equal(await titlesOf(site), ['Blog', 'Guides', 'API'])
  await creator.patch(`${site.path}/structure/sort`, {
    item: { type: 'site-section', id: api.id },
    position: { after: item },
  })
  assert.equal(await titlesOf(site), ['Blog', 'API', 'Guides'])

  const one = `${site.path}/external-links/${made.body.id}`
  const group = await newGroup(app, site, { title: 'More', sections: [api.id] })
  const changed = await creator.patch(one, {
    title: 'Status',
    url: 'http://status.example.org/',
    parent: group,
    description: null,
    condition: 'visitor.claims.beta',
  })
  assert.equal(
    [changed.status, changed.body.sectionGroup, changed.body.condition],
    [200, group, 'visitor.claims.beta'],
  )
  assert.equal(await titlesOf(site), ['Guides', ['More', 'API', 'Status']])
  assert.equal((await creator.patch(one, {})).body, changed.body)
  assert.is((await app.admin.delete(`${site.path}/section-groups/${group}`)).status, 204)
  assert.equal(await titlesOf(site), ['Guides', 'API', 'Status'])

  assert.equal([(await creator.delete(one)).status, (await creator.delete(one)).status], [204, 204])
  assert.is((await creator.patch(one, { title: 'Gone' })).status, 404)
  assert.equal(await titlesOf(site), ['Guides', 'API'])
})

test('what cannot be a link is refused', async () => {
  const site = await newSite(app, ['One'])
  assert.is((await add(site)).status, 400, 'a site without sections')
  await newSection(app, site, 'Guides')
  const wrong = [
    ...[
      'javascript:alert(1)',
      '//example.org',
      'https://user:x@example.org',
      'mailto:a@example.org',
    ],
    `https://example.org/${'x'.repeat(2048)}`,
  ]
  for (const url of wrong) assert.is((await add(site, { url })).status, 400, url)
  assert.is((await add(site, { title: 'x' })).status, 400)
  assert.is((await add(site, { condition: 'page.title' })).status, 400)
  assert.is((await add(site, { parent: 'none' })).status, 404)
  assert.is((await add(site, {}, reader)).status, 403)
})

test('a site has at most 100 links', async () => {
  const site = await newSite(app)
  await newSection(app, site, 'Guides')
  for (let count = 0; count < 100; count++) assert.is((await add(site)).status, 201)
  assert.is((await add(site)).status, 409)
  assert.is((await app.admin.delete(site.path)).status, 204)
})

test.run()
