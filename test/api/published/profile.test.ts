import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { updateSiteSpace } from '../../../src/store/sites/site-spaces.ts'
import { updateSite } from '../../../src/store/sites/sites.ts'
import { readStructure } from '../../../src/store/sites/structure.ts'
import { type Actor, startApp } from '../../support/app.ts'
import { publishedSite, readerOf } from '../../support/sites.ts'

const app = await startApp()
test.after(() => app.stop())
const { store } = app.ctx

const newSpace = async (title: string): Promise<string> =>
  (await app.admin.post('/v1/orgs/acme/spaces', { title })).body.id

const profileUrl = (siteId: string) => `/v1/orgs/acme/sites/${siteId}/published`

const described = (type: string) => ({ type, description: 'What is known of the visitor.' })

/** A site with a space for all, and one for visitors with the claim "beta". */
async function adaptiveSite() {
  const spaceIds = [await newSpace('Guide'), await newSpace('Beta')] as [string, string]
  const { id } = await publishedSite(app, spaceIds)
  const base = `/v1/orgs/acme/sites/${id}`
  assert.is((await app.admin.patch(base, { adaptiveContent: { enabled: true } })).status, 200)
  const jsonSchema = {
    type: 'object',
    properties: { beta: described('boolean'), team: described('string') },
    additionalProperties: false,
  }

  assert.is((await app.admin.put(`${base}/adaptive-schema`, { jsonSchema })).status, 200)
  const [guide, beta] = readStructure(store, id).siteSpaces.map(row => row.id) as [string, string]

  updateSiteSpace(store, beta, { condition: 'visitor.claims.beta' })
  const settings = (await app.admin.get(`${base}/customization`)).body
  const to = (space: string) => ({ kind: 'space', space })
  const links = [
    { title: 'Guide', to: to(spaceIds[0]), links: [] },
    { title: 'Beta', to: to(spaceIds[1]), links: [] },
    {
      title: 'Inside',
      to: { kind: 'url', url: 'https://example.org/' },
      links: [],
      condition: 'visitor.claims.team === "core"',
    },
  ]

  const put = await app.admin.put(`${base}/customization`, {
    ...settings,
    header: { ...settings.header, links },
  })

  assert.is(put.status, 200, put.text)

  return { id, base, guide, beta, spaceIds }
}

/** The titles of site spaces and header links in the profile that a caller gets. */
async function shownTo(caller: Actor, siteId: string): Promise<string[]> {
  const { status, body, text } = await caller.get(profileUrl(siteId))
  assert.is(status, 200, text)
  const spaces = body.structure.structure as { id: string; title: string }[]
  assert.equal(
    Object.keys(body.customizations.siteSpaces),
    spaces.map(each => each.id),
  )
  const links = body.customizations.site.header.links as { title: string }[]

  return [...spaces.map(each => each.title), '|', ...links.map(each => each.title)]
}

test('readers with different claims get different profiles, and no conditions', async () => {
  const { id } = await adaptiveSite()
  const reader = (claims?: Record<string, unknown>) => readerOf(app, id, { claims })
  assert.equal(await shownTo(reader(), id), ['Guide', '|', 'Guide'])
  assert.equal(await shownTo(reader({ beta: true }), id), ['Guide', 'Beta', '|', 'Guide', 'Beta'])
  assert.equal(await shownTo(reader({ team: 'core' }), id), ['Guide', '|', 'Guide', 'Inside'])
  const { body, text, headers } = await reader({ beta: true, team: 'core' }).get(profileUrl(id))

  assert.not.match(text, '"condition"')
  assert.not.match(text, 'visitor.claims')
  assert.is(body.site.siteSpaces, 2)
  assert.equal(body.scripts, [])
  assert.equal(body.site.permissions.edit, false)
  assert.match(headers.get('cache-control') ?? '', 'private')
})

test('the lists and the structure of a site are those of its reader', async () => {
  const { id, base } = await adaptiveSite()
  const [none, beta] = [readerOf(app, id), readerOf(app, id, { claims: { beta: true } })]
  for (const [reader, titles] of [
    [none, ['Guide']],
    [beta, ['Guide', 'Beta']],
  ] as const) {
    const { body: list, text } = await reader.get(`${base}/site-spaces`)
    assert.equal(
      [list.count, list.items.map((each: { title: string }) => each.title)],
      [titles.length, titles],
    )
    assert.not.match(text, '"condition"')
    const { structure } = (await reader.get(`${base}/structure`)).body

    assert.equal(structure, list.items)
    assert.equal((await reader.get(`${base}/sections`)).body.items, [])
  }

  assert.is((await none.get(`${base}/site-spaces?default=false`)).body.count, 0)
  assert.is((await none.get(`${base}/customization`)).status, 403)
})

test('members get everything, with conditions, also of a site that is not published', async () => {
  const { id, base } = await adaptiveSite()
  assert.equal(await shownTo(app.admin, id), ['Guide', 'Beta', '|', 'Guide', 'Beta', 'Inside'])
  assert.match((await app.admin.get(profileUrl(id))).text, '"condition":"visitor.claims.beta"')
  const reader = readerOf(app, id)
  assert.is((await app.admin.post(`${base}/unpublish`)).status, 200)
  assert.is((await reader.get(profileUrl(id))).status, 401)
  assert.is((await app.admin.get(profileUrl(id))).status, 200)
  assert.is((await app.anonymous.get(profileUrl(id))).status, 401)
})

test('claims end with adaptive content and with the schema that names them', async () => {
  const { id, base } = await adaptiveSite()
  const reader = readerOf(app, id, { claims: { beta: true, team: 'core' } })
  assert.equal(await shownTo(reader, id), ['Guide', 'Beta', '|', 'Guide', 'Beta', 'Inside'])
  const jsonSchema = {
    type: 'object',
    properties: { team: described('string') },
    additionalProperties: false,
  }

  assert.is((await app.admin.put(`${base}/adaptive-schema`, { jsonSchema })).status, 200)
  assert.equal(await shownTo(reader, id), ['Guide', '|', 'Guide', 'Inside'])
  assert.is((await app.admin.patch(base, { adaptiveContent: { enabled: false } })).status, 200)
  assert.is((await reader.get(profileUrl(id))).status, 401)
  assert.equal(await shownTo(readerOf(app, id, { claims: { team: 'core' } }), id), [
    'Guide',
    '|',
    'Guide',
  ])
})

test('a site space has the settings of the site with its own in place of them', async () => {
  const { id, base, guide, beta } = await adaptiveSite()
  const changed = await app.admin.patch(`${base}/site-spaces/${guide}/customization`, {
    title: 'The guide',
  })
  assert.is(changed.status, 200, changed.text)
  const { customizations } = (
    await readerOf(app, id, { claims: { beta: true } }).get(profileUrl(id))
  ).body

  assert.is(customizations.site.title, undefined)
  assert.is(customizations.siteSpaces[guide].title, 'The guide')
  assert.is(customizations.siteSpaces[beta].title, undefined)
  assert.equal(
    customizations.siteSpaces[guide].header.links.map((link: { title: string }) => link.title),
    ['Guide', 'Beta'],
  )
})

test('the reader of another site gets none, nor does one for whom everything is hidden', async () => {
  const [one, other] = [await adaptiveSite(), await adaptiveSite()]
  assert.is((await readerOf(app, one.id).get(profileUrl(other.id))).status, 404)
  assert.is(
    (await readerOf(app, one.id).get(`/v1/orgs/other/sites/${one.id}/published`)).status,
    404,
  )
  const reader = readerOf(app, one.id)

  updateSiteSpace(store, one.guide, { condition: 'false' })
  assert.is((await reader.get(profileUrl(one.id))).status, 404)
})

test('the address of a site with share links is in answers to callers who name an active key', async () => {
  const { id, base } = await adaptiveSite()
  assert.is((await app.admin.patch(base, { visibility: 'share-link' })).status, 200)
  const made = await app.admin.post(`${base}/share-links`, { name: 'Team' })
  const link = made.body
  const key = /\/([0-9A-Za-z]{20})\/$/.exec(link.urls.published)?.[1]
  const reader = readerOf(app, id, { shareLinkId: link.id })
  const publishedAt = async (query: string) =>
    (await reader.get(`${profileUrl(id)}${query}`)).body.site.urls.published

  assert.is(await publishedAt(`?shareKey=${key}`), link.urls.published)
  assert.is(await publishedAt(''), undefined)
  assert.is(await publishedAt('?shareKey=00000000000000000000'), undefined)
  const off = await app.admin.patch(`${base}/share-links/${link.id}`, { active: false })

  assert.is(off.status, 200, off.text)
  assert.is((await reader.get(profileUrl(id))).status, 401)
})

test('a repeated read is answered from memory until a row changes, and ends with its site', async () => {
  const { id, spaceIds } = await adaptiveSite()
  const reader = readerOf(app, id)
  const first = await reader.get(profileUrl(id))
  const tag = { 'if-none-match': first.headers.get('etag') as string }

  assert.is((await reader.get(profileUrl(id), tag)).status, 304)
  await app.admin.patch(`/v1/spaces/${spaceIds[0]}`, { title: 'Handbook' })
  const after = await reader.get(profileUrl(id), tag)

  assert.equal([after.status, after.body.structure.structure[0].title], [200, 'Handbook'])
  assert.is((await reader.get(profileUrl(id))).status, 200)
  updateSite(store, id, { published: 0 })
  assert.is((await reader.get(profileUrl(id))).status, 401)
})

test.run()
