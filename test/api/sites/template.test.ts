import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { startApp } from '../../support/app.ts'
import { makeSpace } from '../../support/corpus/corpus.ts'
import { clientFor } from '../../support/http/client.ts'

const app = await startApp()
const { admin } = app
test.after(() => app.stop())

const sites = '/v1/orgs/acme/sites'
const newSite = async (title: string): Promise<string> =>
  (await admin.post(sites, { title })).body.id
const spacesOf = async (): Promise<string[]> =>
  (await admin.get('/v1/orgs/acme/spaces')).body.items.map(({ id }: { id: string }) => id).sort()

test('the official client fills a site: three spaces with pages, each in a section', async () => {
  const site = await newSite('Acme docs')
  const { client } = clientFor(app, admin, '0.202.0')
  const { orgs } = client as unknown as {
    orgs: { applyTemplateToSite: (org: string, site: string) => Promise<{ status: number }> }
  }
  assert.is((await orgs.applyTemplateToSite('acme', site)).status, 200)

  const { items } = (await admin.get(`${sites}/${site}/sections`)).body
  assert.equal(
    items.map((each: { title: string; path: string; default: boolean }) => [
      each.title,
      each.path,
      each.default,
    ]),
    [
      ['Product documentation', 'product-documentation', true],
      ['API reference', 'api-reference', false],
      ['Changelog', 'changelog', false],
    ],
  )
  for (const { siteSpaces } of items) {
    const { id } = siteSpaces[0].space
    const { pages } = (await admin.get(`/v1/spaces/${id}/content/pages`)).body
    assert.ok(pages.length > 0)
    const links = await admin.get(`/v1/spaces/${id}/links?status=broken`)
    assert.is(links.body.stats.broken.total, 0, links.text)
    const [commit] = (await admin.get(`/v1/spaces/${id}/revisions`)).body.items
    assert.is(commit.git.message.split('\n')[0], 'Create the space')
  }

  await admin.post(`${sites}/${site}/publish`)
  const published = (await admin.get(`${sites}/${site}`)).body.urls.published
  assert.is((await fetch(`${published}changelog/`)).status, 200)
})

test('one template makes a space without sections', async () => {
  const site = await newSite('News')
  const reply = await admin.post(`${sites}/${site}/template`, { templates: ['changelog'] })
  assert.is(reply.status, 200, reply.text)
  assert.is(reply.body.siteSpaces, 1)
  assert.is((await admin.get(`${sites}/${site}/sections`)).body.count, 0)
})

test('a site with content is refused, and nothing is made', async () => {
  const { space } = await makeSpace(app, { 'README.md': '# Mine\n' })
  const site = (await admin.post(sites, { title: 'Full', spaces: [space.id] })).body.id
  const before = await spacesOf()
  const reply = await admin.post(`${sites}/${site}/template`)
  assert.equal([reply.status, reply.body.error.reason], [409, 'not_empty'])
  assert.equal(await spacesOf(), before)
})

test('all or nothing: of an unknown template, of two requests, of repeated ones', async () => {
  const site = await newSite('Once')
  const before = await spacesOf()
  const unknown = await admin.post(`${sites}/${site}/template`, {
    templates: ['changelog', 'no-such'],
  })
  assert.is(unknown.status, 404)
  for (const templates of [[], ['changelog', 'changelog'], ['../templates'], 'changelog']) {
    const { status } = await admin.post(`${sites}/${site}/template`, { templates })
    assert.ok(status === 400 || status === 404, String(status))
  }
  assert.equal(await spacesOf(), before)

  const both = await Promise.all([1, 2].map(() => admin.post(`${sites}/${site}/template`)))
  assert.equal(both.map(({ status }) => status).sort(), [200, 409])
  assert.is((await spacesOf()).length, before.length + 3)
})

test('it needs the role "create" on the site and in the organization', async () => {
  const site = await newSite('Roles')
  const creator = app.user('Cleo', 'create')
  const editor = app.user('Edda', 'edit')
  await admin.post(`${sites}/${site}/permissions`, { role: 'create', users: [editor.id] })
  const before = await spacesOf()
  const refused = await editor.post(`${sites}/${site}/template`)
  assert.equal([refused.status, refused.body.error.reason], [403, 'role_required'])
  assert.equal(await spacesOf(), before)
  assert.is((await creator.post(`${sites}/${site}/template`)).status, 200)
})

test.run()
