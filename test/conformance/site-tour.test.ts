import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { type Actor, type App, actor, startApp } from '../support/app.ts'
import { makeSpace } from '../support/corpus/corpus.ts'
import { clientFor, clients } from '../support/http/client.ts'

let app: App
test.before(async () => {
  app = await startApp()
})
test.after(() => app.stop())

const readerWith = (token: string): Actor => actor(app.url, '', token)

type Content = { apiToken: string; siteSpace: string; pathname: string; space: string }

for (const version of Object.keys(clients) as (keyof typeof clients)[])
  test(`the official client ${version} publishes a site with sections and reads it as a visitor`, async () => {
    const { client } = clientFor(app, app.admin, version)
    const { orgs, urls } = client
    const made = [
      await makeSpace(app, { 'README.md': '# Home\n', 'start.md': '# Start\n\nRide a bicycle.\n' }),
      await makeSpace(app, {
        'README.md': '# Home\n',
        'start.md': '# Start\n\nEndpoints of the bicycle.\n',
      }),
    ] as const
    const [guides, reference] = [made[0].space.id, made[1].space.id]

    const { id } = (await orgs.createSite('acme', { title: 'Docs', spaces: [guides] })).data
    const section = (await orgs.addSectionToSite('acme', id, { spaceId: reference, title: 'API' }))
      .data
    const sections = (await orgs.listSiteSections('acme', id)).data.items

    assert.equal(
      sections.map(({ title, default: isDefault }) => [title, isDefault]),
      [
        ['Docs', true],
        ['API', false],
      ],
    )
    const group = (
      await orgs.addSectionGroupToSite('acme', id, { title: 'More', sections: [section.id] })
    ).data

    assert.equal(
      group.children.map(child => child.id),
      [section.id],
    )
    const structure = (await orgs.getSiteStructure('acme', id)).data

    assert.equal([structure.type, structure.structure.length], ['sections', 2])

    await orgs.updateSiteById('acme', id, { visibility: 'share-link' as never })
    await orgs.publishSite('acme', id)
    const link = (await orgs.createSiteShareLink('acme', id, { name: 'Partners' })).data
    const shared = link.urls.published as string
    const found = (await urls.resolvePublishedContentByUrl({ url: `${shared}api/start` }))
      .data as unknown as Content

    assert.equal([found.space, found.pathname], [reference, 'start'])

    const reader = clientFor(app, readerWith(found.apiToken), version).client
    const profile = (await reader.orgs.getPublishedContentSite('acme', id)).data

    assert.equal([profile.site.id, profile.structure.type], [id, 'sections'])
    const read = (
      await reader.spaces.getPageByPath(reference, found.pathname, { format: 'markdown' })
    ).data

    assert.match((read as { markdown?: string }).markdown ?? '', /Endpoints of the bicycle/)

    // A search of one space waits for its index.
    for (const space of [guides, reference])
      assert.is(
        (await reader.spaces.searchSpaceContent(space, { query: 'bicycle' })).data.items.length,
        1,
      )

    const hits = (
      await reader.orgs.searchSiteContent('acme', id, { query: 'bicycle', scope: { mode: 'all' } })
    ).data

    assert.equal(hits.items.map(each => each.id).sort(), [guides, reference].sort())

    const destination = { kind: 'site-section' as const, siteSectionId: section.id }

    await orgs.createSiteRedirect('acme', id, { source: '/old', destination })
    const key = shared.split('/').at(-2) as string
    const redirect = (
      await reader.orgs.getSiteRedirectBySource('acme', id, { source: '/old', shareKey: key })
    ).data

    assert.is(redirect.target, `${shared}api/`)

    await orgs.unpublishSite('acme', id)
    assert.is(
      (await readerWith(found.apiToken).get(`/v1/orgs/acme/sites/${id}/published`)).status,
      401,
    )
    assert.is((await app.admin.post('/v1/urls/published', { url: shared })).status, 404)
  })

test('the official client 0.202.0 sends its newer parameters, and none is ignored', async () => {
  const { spaces, orgs } = clientFor(app, app.admin, '0.202.0').client
  const { space } = await makeSpace(app, { 'README.md': '# Home\n', 'start.md': '# Start\n' })
  const made = []
  for (const subject of ['One', 'Two'])
    made.push((await spaces.createChangeRequest(space.id, { subject })).data.number)
  await spaces.updateChangeRequestById(space.id, String(made[0]), { subject: 'First' })
  const { id } = (await orgs.createSite('acme', { title: 'More', spaces: [space.id] })).data
  const base = (await orgs.publishSite('acme', id)).data as unknown as {
    urls: { published: string }
  }
  const target = `${base.urls.published}start`

  // The types are those of 0.146.0, which has none of these parameters.
  const order = { orderBy: 'updatedAt' } as object
  const listed = await spaces.listChangeRequestsForSpace(space.id, order)
  const ofAll = await orgs.listChangeRequestsForOrganization('acme', order)
  const page = await spaces.getPageByPath(space.id, 'start', { cachedMetadata: true } as object)
  const preview = await orgs.getSitePublishingPreviewById('acme', id, { target } as object)

  for (const { data } of [listed, ofAll])
    assert.equal(
      data.items.map(({ subject }) => subject),
      ['First', 'Two'],
    )
  assert.is(page.data.title, 'Start')
  assert.is(new URL(preview.data.url).pathname, `/~preview/${id}/start`)
  for (const { headers } of [listed, ofAll, page, preview])
    assert.is(headers.get('stemma-ignored'), null)
})

test.run()
