import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { mintReadingToken } from '../../../src/access/reading-token.ts'
import { updateSiteSpace } from '../../../src/store/sites/site-spaces.ts'
import { findSite } from '../../../src/store/sites/sites.ts'
import { readStructure } from '../../../src/store/sites/structure.ts'
import type { SiteRow } from '../../../src/store/tables/rows.ts'
import { type Actor, actor, startApp } from '../../support/app.ts'
import { previewOf } from '../../support/sites.ts'

const app = await startApp()
const creator = app.user('Cleo', 'create')
const reader = app.user('Rae', 'read')
test.after(() => app.stop())

const { id: first } = (await app.admin.post('/v1/orgs/acme/spaces', { title: 'First' })).body
const { id: second } = (await app.admin.post('/v1/orgs/acme/spaces', { title: 'Second' })).body
const body = { spaces: [first, second], visibility: 'share-link' }
const { id } = (await app.admin.post('/v1/orgs/acme/sites', body)).body
const site = `/v1/orgs/acme/sites/${id}`
const preview = `${site}/publishing/preview`

const resolve = (url: string, by = app.anonymous) => by.post('/v1/urls/published', { url })
const previewBy = (by: Actor) => previewOf(app, by)
const siteRow = () => findSite(app.ctx.store, id) as SiteRow
const other = readStructure(app.ctx.store, id).siteSpaces[1]

test('an unpublished site is resolved with a preview address, for its space as well', async () => {
  const { status, body, text } = await creator.get(preview)
  assert.is(status, 200, text)
  const url = new URL(body.url)
  assert.is(url.pathname, `/~preview/${id}/`)
  const found = (await resolve(body.url)).body

  assert.equal([found.space, found.siteBasePath, found.preview], [first, `/~preview/${id}/`, true])
  const holder = actor(app.url, '', found.apiToken)

  assert.is((await holder.get(`/v1/spaces/${second}`)).status, 200)
  const page = (await resolve(body.url.replace('?', 'second/page?'))).body

  assert.equal([page.space, page.pathname], [second, 'page'])
  const published = `${app.url}/sites/acme/${siteRow().basename}/`

  assert.is((await resolve(published)).status, 404)
  assert.is((await resolve(published, holder)).body.preview, true)
})

test('a site space is previewed, and one that does not exist is not found', async () => {
  const { body } = await creator.get(`${preview}?siteSpace=${other?.id}`)
  assert.is((await resolve(body.url)).body.space, second)
  assert.is((await creator.get(`${preview}?siteSpace=none`)).status, 404)
  assert.is((await reader.get(preview)).status, 403)
})

test('an address of the site is previewed, whichever of its addresses it is', async () => {
  const basename = siteRow().basename
  const link = (await app.admin.post(`${site}/share-links`, { name: 'Partners' })).body
  const { url: previewed } = (await creator.get(preview)).body
  const at = (target: string, more = '') =>
    creator.get(`${preview}?target=${encodeURIComponent(target)}${more}`)

  for (const base of [
    `${app.url}/sites/acme/${basename}/`,
    `${app.url}/~preview/${id}/`,
    link.urls.published,
  ]) {
    const { body, text } = await at(`${base}second/a%20page?q=1&token=x#part`)
    const url = new URL(body.url ?? assert.unreachable(text))
    assert.equal([url.pathname, url.hash], [`/~preview/${id}/second/a%20page`, '#part'])
    assert.equal([...url.searchParams.keys()], ['q', 'token'])
    const found = (await resolve(body.url)).body
    assert.equal([found.space, found.pathname, found.preview], [second, 'a page', true])
  }

  assert.is(new URL((await at(previewed)).body.url).pathname, `/~preview/${id}/`)
  const onSecond = `${app.url}/sites/acme/${basename}/second/`
  assert.is((await at(onSecond, `&siteSpace=${other?.id}`)).status, 200)
  const { id: elsewhere } = (await app.admin.post('/v1/orgs/acme/sites', { title: 'Far' })).body

  for (const [target, more] of [
    [onSecond, `&siteSpace=${readStructure(app.ctx.store, id).siteSpaces[0]?.id}`],
    [`${app.url}/~preview/${elsewhere}/`, ''],
    [`${app.url}/~preview/none/`, ''],
    ['https://example.org/', ''],
    ['/second', ''],
    ['javascript:alert(1)', ''],
  ] as const)
    assert.is((await at(target, more)).status, 400, target)
})

test('claims are given as JSON or Rison and have to fit the schema', async () => {
  const jsonSchema = {
    type: 'object',
    properties: { beta: { type: 'boolean', description: 'Beta' } },
    additionalProperties: false,
  }

  await app.admin.put(`${site}/adaptive-schema`, { jsonSchema })
  await app.admin.patch(site, { adaptiveContent: { enabled: true } })
  updateSiteSpace(app.ctx.store, other?.id as string, { condition: 'visitor.claims.beta' })
  const shown = `${preview}?siteSpace=${other?.id}`

  const target = encodeURIComponent(`${app.url}/~preview/${id}/second/page`)
  assert.is((await creator.get(shown)).status, 404)
  assert.is((await creator.get(`${preview}?target=${target}`)).status, 404)
  assert.is((await creator.get(`${preview}?target=${target}&claims=(beta:!t)`)).status, 200)

  for (const claims of ['(beta:!t)', '{"beta":true}']) {
    const { body } = await creator.get(`${shown}&claims=${encodeURIComponent(claims)}`)
    const found = (await resolve(body.url)).body
    assert.equal([found.space, typeof found.contextId], [second, 'string'])
  }

  for (const claims of ['(beta:1)', '(plan:pro)', '!(a)', '{', '(', 'x', '{"unsigned":{"a":1}}'])
    assert.is(
      (await creator.get(`${preview}?claims=${encodeURIComponent(claims)}`)).status,
      400,
      claims,
    )
})

test('a preview ends with its hour, with the role of its user, and on other sites', async () => {
  const row = siteRow()
  const [siteSpace] = readStructure(app.ctx.store, id).siteSpaces
  const mint = (until: number, preview = previewBy(creator)) =>
    mintReadingToken(app.ctx, {
      site: row,
      siteSpace: siteSpace as NonNullable<typeof siteSpace>,
      spaceIds: [first],
      preview,
      until,
    })
  const at = (token: string, siteId = id) =>
    resolve(`${app.url}/~preview/${siteId}/?token=${token}`)
  const good = mint(Date.now() + 60_000)
  const { id: elsewhere } = (await app.admin.post('/v1/orgs/acme/sites', { title: 'Elsewhere' }))
    .body

  assert.equal(
    [
      (await at(good)).status,
      (await at(mint(Date.now() - 1000))).status,
      (await at(mint(Date.now() + 60_000, previewBy(reader)))).status,
      (await at(good, elsewhere)).status,
      (await at('x')).status,
      (await resolve(`${app.url}/~preview/${id}/`)).status,
    ],
    [200, 401, 401, 404, 404, 404],
  )
})

test('a preview shows only the spaces that its user may read', async () => {
  const guest = app.user('Gus', null)
  const open = (await app.admin.post('/v1/orgs/acme/spaces', { title: 'Open' })).body.id
  const { id: siteId } = (
    await app.admin.post('/v1/orgs/acme/sites', { title: 'Two', spaces: [second, open] })
  ).body
  const given = { role: 'read', users: [guest.id] }

  assert.is((await app.admin.post(`/v1/spaces/${open}/permissions`, given)).status, 204)
  const onSite = `/v1/orgs/acme/sites/${siteId}`
  const made = await app.admin.post(`${onSite}/permissions`, { ...given, role: 'create' })

  assert.is(made.status, 204, made.text)
  const { url } = (await guest.get(`${onSite}/publishing/preview`)).body
  const found = (await resolve(url)).body
  const holder = actor(app.url, '', found.apiToken)
  const answers = [open, second].map(space => holder.get(`/v1/spaces/${space}/content`))

  assert.equal(
    (await Promise.all(answers)).map(({ status }) => status),
    [200, 404],
  )
  const { structure } = (await holder.get(`${onSite}/structure`)).body

  assert.equal(
    structure.map((each: { space: { id: string } }) => each.space.id),
    [open],
  )
})

test('a preview ends with the token that requested it, which needs the scope to read content', async () => {
  const narrow = (
    await creator.post('/v1/user/tokens', { name: 'narrow', scopes: ['sites:admin'] })
  ).body
  assert.is((await actor(app.url, '', narrow.token).get(preview)).status, 403)
  const full = (await creator.post('/v1/user/tokens', { name: 'full' })).body
  const { url } = (await actor(app.url, '', full.token).get(preview)).body
  const holder = actor(app.url, '', (await resolve(url)).body.apiToken)

  assert.is((await holder.get(`/v1/spaces/${first}/content`)).status, 200)
  assert.is((await creator.delete(`/v1/user/tokens/${full.id}`)).status, 204)
  assert.is((await holder.get(`/v1/spaces/${first}/content`)).status, 401)
})

test('change requests and revisions are previewed by users who may read the space', async () => {
  const { body } = await creator.get(preview)
  const request = (await app.admin.post(`/v1/spaces/${first}/change-requests`, { subject: 'New' }))
    .body
  const { id: revision } = (await app.admin.get(`/v1/spaces/${first}/content`)).body
  const at = async (path: string) => (await resolve(body.url.replace('?', `${path}?`))).body
  const changed = await at(`~/changes/${request.number}/page`)

  assert.equal([changed.changeRequest, changed.pathname], [request.id, 'page'])
  const revised = await at(`~/revisions/${revision}`)

  assert.equal([revised.revision, revised.pathname], [revision, ''])
  for (const path of ['~/changes/99', `~/revisions/${'a'.repeat(40)}`, '~/changes', '~/x/1'])
    assert.is((await at(path)).error?.code, 404, path)
})

test.run()
