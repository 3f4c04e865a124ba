import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { findSite } from '../../../src/store/sites/sites.ts'
import { readStructure } from '../../../src/store/sites/structure.ts'
import { findSpace } from '../../../src/store/spaces/spaces.ts'
import { startApp } from '../../support/app.ts'

const app = await startApp()
const { store } = app.ctx
const { admin } = app
test.after(() => app.stop())

const sites = '/v1/orgs/acme/sites'

const newSpace = async (title: string): Promise<string> =>
  (await admin.post('/v1/orgs/acme/spaces', { title })).body.id

const newSite = async (body: object): Promise<string> => (await admin.post(sites, body)).body.id

const versionOf = (id: string) => findSite(store, id)?.access_version

const count = async (action: string): Promise<number> =>
  (await admin.get(`/v1/orgs/acme/audit-events?action=${action}`)).body.count

test('publishing shows the addresses, and unpublishing takes them back; both can be repeated', async () => {
  const space = await newSpace('Life')
  const id = await newSite({ spaces: [space] })
  const first = await admin.post(`${sites}/${id}/publish`)
  assert.is(first.status, 200, first.text)
  assert.is(first.body.published, true)
  assert.match(first.body.urls.published, /\/sites\/acme\/life\/$/)
  assert.is(first.body.urls.app, first.body.urls.published)
  const { urls } = (await admin.get(`/v1/spaces/${space}`)).body
  assert.is(urls.published, first.body.urls.published)
  assert.is(urls.app, `${app.url}/app/s/${space}`)
  assert.is(findSpace(store, space)?.visibility, 'public')
  const again = await admin.post(`${sites}/${id}/publish`)

  assert.equal([again.status, await count('site.published')], [200, 1])
  assert.is(versionOf(id), 1)
  const back = await admin.post(`${sites}/${id}/unpublish`)

  assert.equal(
    [back.status, back.body.published, back.body.urls.published],
    [200, false, undefined],
  )
  assert.is(back.body.urls.app, `${app.url}/~preview/${id}/`)
  assert.is(findSpace(store, space)?.visibility, 'private')
  assert.is((await admin.post(`${sites}/${id}/unpublish`)).status, 200)
  assert.equal([await count('site.unpublished'), versionOf(id)], [1, 2])
})

test('a site without spaces is published', async () => {
  const id = await newSite({ title: 'Empty' })
  const published = await admin.post(`${sites}/${id}/publish`)
  assert.equal([published.status, published.body.published], [200, true])
})

test('a new audience, context of agents or adaptive content ends reading tokens; equal values do not', async () => {
  const space = await newSpace('Tokens')
  const id = await newSite({ spaces: [space] })
  await admin.post(`${sites}/${id}/publish`)
  const patches: [body: object, version: number][] = [
    [{ visibility: 'share-link' }, 2],
    [{ visibility: 'share-link' }, 2],
    [{ title: 'Tokens of all' }, 2],
    [{ agentsContext: 'excluded' }, 3],
    [{ adaptiveContent: { enabled: true } }, 4],
    [{ visibility: 'unlisted', adaptiveContent: { enabled: false } }, 5],
  ]

  for (const [body, version] of patches) {
    assert.is((await admin.patch(`${sites}/${id}`, body)).status, 200)
    assert.is(versionOf(id), version, JSON.stringify(body))
  }

  assert.is(findSpace(store, space)?.visibility, 'unlisted')
})

test('a deleted site leaves its spaces, and the organization without it as default content', async () => {
  const space = await newSpace('Kept')
  const id = await newSite({ spaces: [space] })
  await admin.post(`${sites}/${id}/publish`)
  const defaultContent = { type: 'site', site: id }
  const named = await admin.patch('/v1/orgs/acme', { defaultContent })

  assert.equal(named.body.defaultContent, defaultContent, named.text)
  assert.is((await admin.delete(`${sites}/${id}`)).status, 204)
  assert.is((await admin.get(`${sites}/${id}`)).status, 404)
  assert.is((await admin.delete(`${sites}/${id}`)).status, 204)
  assert.is(await count('site.deleted'), 1)
  assert.is(findSpace(store, space)?.visibility, 'private')
  assert.is((await admin.get(`/v1/spaces/${space}`)).status, 200)
  assert.equal(readStructure(store, id).siteSpaces, [])
  assert.is((await admin.get('/v1/orgs/acme')).body.defaultContent, undefined)
})

test('the default content of an organization is one of its sites', async () => {
  const unknown = await admin.patch('/v1/orgs/acme', {
    defaultContent: { type: 'site', site: 'nothing' },
  })
  assert.is(unknown.status, 404)
})

test.run()
