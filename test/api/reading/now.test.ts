import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { deriveSpaceVisibility } from '../../../src/actions/sites/structure/derive-space-visibility.ts'
import { updateSite } from '../../../src/store/sites/sites.ts'
import { readStructure } from '../../../src/store/sites/structure.ts'
import { startApp } from '../../support/app.ts'
import { commitFiles } from '../../support/git/repo.ts'
import { readerOf } from '../../support/sites.ts'
import { until } from '../../support/until.ts'
import { makeHouse, putTeamSchema } from './house.ts'

const app = await startApp()
test.after(() => app.stop())

const claims = { team: 'a' }
const plans = '/content/path/plans'

test('equal URLs have another answer and another ETag for each reader, warm or not', async () => {
  const { api, site } = await makeHouse(app)
  const readers = ['a', 'b'].map(team => readerOf(app, site.id, { claims: { team } }))
  for (const path of ['/content', '/content/pages', '/content/files', '/content/path/mixed'])
    for (const _ of [1, 2, 3]) {
      const [a, b] = await Promise.all(readers.map(reader => reader.get(api + path)))
      const user = await app.admin.get(api + path)
      assert.match(a!.text, /SECRETA/)
      assert.not.match(a!.text, /SECRETB/)
      assert.match(b!.text, /SECRETB/)
      assert.not.match(b!.text, /SECRETA/)
      assert.is(new Set([a, b, user].map(reply => reply!.headers.get('etag'))).size, 3, path)
      const etag = a!.headers.get('etag') as string
      const again = await readers[1]!.get(api + path, { 'if-none-match': etag })

      assert.is(again.status, 200, path)
    }
})

test('readers with equal claims share their answers', async () => {
  const { api, site } = await makeHouse(app)
  const [first, second] = [readerOf(app, site.id, { claims }), readerOf(app, site.id, { claims })]
  const { headers } = await first.get(`${api}/content/path/mixed`)
  const reply = await second.get(`${api}/content/path/mixed`, {
    'if-none-match': headers.get('etag') ?? '',
  })
  assert.is(reply.status, 304)
})

test('claims end with the next request when adaptive content is turned off or the schema loses them', async () => {
  const { api, site } = await makeHouse(app)
  const reader = readerOf(app, site.id, { claims })
  for (const _ of [1, 2]) assert.is((await reader.get(api + plans)).status, 200)
  putTeamSchema(app, site.id, { type: 'object', properties: {}, additionalProperties: false })
  assert.is((await reader.get(api + plans)).status, 404)
  putTeamSchema(app, site.id)
  assert.is((await reader.get(api + plans)).status, 200)
  updateSite(app.ctx.store, site.id, { adaptive: 0 })
  assert.is((await reader.get(api + plans)).status, 404)
  assert.not.match((await reader.get(`${api}/content/path/mixed`)).text, /SECRET/)
})

test('a condition that hides a space holds with the next request', async () => {
  const { api, site } = await makeHouse(app)
  const reader = readerOf(app, site.id, { claims })
  const paths = ['/content', '/content/pages', plans, '/search?query=SECRETA']
  for (const path of paths) assert.is((await reader.get(api + path)).status, 200, path)
  const [siteSpace] = readStructure(app.ctx.store, site.id).siteSpaces
  const path = `/v1/orgs/acme/sites/${site.id}/site-spaces/${siteSpace?.id}`
  const changed = await app.admin.patch(path, { condition: 'visitor.claims.team === "b"' })

  assert.is(changed.status, 200, changed.text)
  for (const path of paths) assert.is((await reader.get(api + path)).status, 404, path)
})

test('a space that is placed later is not part of what the token reads, and does not disturb searches', async () => {
  const { site } = await makeHouse(app)
  const reader = readerOf(app, site.id, { claims })
  const onSite = `/v1/orgs/acme/sites/${site.id}`
  const query = { query: 'SECRETA', scope: { mode: 'all' } }
  const search = () => reader.post(`${onSite}/search`, query)
  const before = await until('the space is indexed', async () => {
    const reply = await search()
    return reply.body.count === 1 ? reply : undefined
  })
  const { id: spaceId } = (await app.admin.post('/v1/orgs/acme/spaces', { title: 'Later' })).body

  assert.is((await app.admin.post(`${onSite}/site-spaces`, { spaceId })).status, 201)
  const after = await search()

  assert.equal([before.status, after.status, after.text], [200, 200, before.text])
  assert.not.match((await reader.get(`${onSite}/site-spaces`)).text, new RegExp(spaceId))
})

test('a file address of a reader ends with a condition that hides its space', async () => {
  const { api, site } = await makeHouse(app)
  updateSite(app.ctx.store, site.id, { visibility: 'visitor-auth' })
  deriveSpaceVisibility(app.ctx, [api.split('/').at(-1) as string])
  const reader = readerOf(app, site.id, { claims })
  const { files } = (await reader.get(`${api}/content`)).body
  const url = new URL(files[0].downloadURL)
  const download = () => fetch(url).then(({ status }) => status)

  assert.is(await download(), 200)
  const [siteSpace] = readStructure(app.ctx.store, site.id).siteSpaces

  await app.admin.patch(`/v1/orgs/acme/sites/${site.id}/site-spaces/${siteSpace?.id}`, {
    condition: 'visitor.claims.team === "b"',
  })
  assert.is(await download(), 404)
})

test('a change of the content is shown with the next request', async () => {
  const { api, repo, site } = await makeHouse(app)
  const reader = readerOf(app, site.id, { claims })
  for (const _ of [1, 2]) assert.is((await reader.get(api + plans)).status, 200)
  await commitFiles(repo, { 'SECRETA/plans.md': '---\nif: false\n---\n# Closed now\n' })
  assert.is((await reader.get(api + plans)).status, 404)
  assert.not.match((await reader.get(`${api}/content/pages`)).text, /SECRETA (?:plans|child)/)
})

test('addresses of files and PDFs end when the site stops admitting the reader', async () => {
  const { api, site } = await makeHouse(app)
  const path = `/v1/orgs/acme/sites/${site.id}`
  assert.is((await app.admin.patch(path, { visibility: 'share-link' })).status, 200)
  const reader = readerOf(app, site.id, { claims })
  const [{ downloadURL }] = (await reader.get(`${api}/content/files`)).body.items
  const pdf = (await reader.get(`${api}/pdf?page=${await idOf(api, 'mixed')}`)).body.url
  const statuses = async () => [(await fetch(downloadURL)).status, (await fetch(pdf)).status]

  assert.equal(await statuses(), [200, 200])
  assert.is((await app.admin.post(`${path}/unpublish`)).status, 200)
  assert.equal(await statuses(), [404, 404])
  assert.is((await reader.get(`${api}/content`)).status, 401)
})

const idOf = async (api: string, path: string): Promise<string> =>
  (await app.admin.get(`${api}/content/path/${path}`)).body.id

test('a PDF is refused while the customization turns PDF files off', async () => {
  const { api, site } = await makeHouse(app)
  const reader = readerOf(app, site.id, { claims })
  assert.is((await reader.get(`${api}/pdf`)).status, 200)
  updateSite(app.ctx.store, site.id, { customization: { pdf: { enabled: false } } })
  const { status, body } = await reader.get(`${api}/pdf`)
  assert.is(status, 403)
  assert.match(body.error.message, /PDF files are turned off/)
  assert.is((await app.admin.get(`${api}/pdf`)).status, 200)
})

test.run()
