import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { readStructure } from '../../src/store/sites/structure.ts'
import { startApp } from '../support/app.ts'
import { makeSpace } from '../support/corpus/corpus.ts'
import { clientFor, notDriven } from '../support/http/client.ts'

const app = await startApp()
test.after(() => app.stop())
const { space, api } = await makeSpace(app, { 'README.md': '# Home\n', 'jam.md': '# Quince jam\n' })
const driven = clientFor(app, app.admin)
const { orgs, spaces } = driven.client
const site = (await orgs.createSite('acme', { title: 'Docs', spaces: [space.id] })).data
const siteSpaceId = readStructure(app.ctx.store, site.id).siteSpaces[0]!.id

test('redirects', async () => {
  const { pages } = (await app.admin.get(`${api}/content/pages`)).body
  const pageId = pages.find((page: { path: string }) => page.path === 'jam').id
  const made = (
    await orgs.createSiteRedirect('acme', site.id, {
      source: '/old',
      destination: { kind: 'site-space', siteSpaceId },
    })
  ).data
  const destination = { kind: 'site-page' as const, siteSpaceId, pageId }
  const changed = (await orgs.updateSiteRedirectById('acme', site.id, made.id, { destination }))
    .data

  assert.equal((await orgs.listSiteRedirects('acme', site.id, { search: 'old' })).data.items, [
    changed,
  ])
  const resolved = (await orgs.getSiteRedirectBySource('acme', site.id, { source: '/OLD' })).data

  assert.equal(resolved, { redirect: changed, target: `${app.url}/sites/acme/docs/jam` })
  assert.is((await orgs.deleteSiteRedirectById('acme', site.id, made.id)).status, 204)
})

test('a search of a site', async () => {
  await spaces.searchSpaceContent(space.id, { query: 'quince' })
  const bodies = [
    { query: 'quince', scope: { mode: 'all' as const } },
    { query: 'quince', mode: 'current' as const, siteSpaceId },
  ]

  for (const body of bodies) {
    const [found] = (await orgs.searchSiteContent('acme', site.id, body)).data.items
    assert.equal([found?.id, found?.pages.map(({ title }) => title)], [space.id, ['Quince jam']])
  }
})

test('every operation on redirects and searches of sites is called', () => {
  assert.equal(notDriven(/\/sites\/:siteId\/(?:redirect|search)/, driven.done), [])
})

test.run()
