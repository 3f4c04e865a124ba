import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { startApp } from '../../support/app.ts'
import { makeSpace } from '../../support/corpus/corpus.ts'

const app = await startApp()
const creator = app.user('Cleo', 'create')
test.after(() => app.stop())

const { space } = await makeSpace(
  app,
  { 'README.md': '# Home\n', 'new.md': '# New\n', 'deep/page.md': '# Page\n' },
  'Docs',
)
const { body: site } = await app.admin.post('/v1/orgs/acme/sites', {
  title: 'Docs',
  spaces: [space.id],
})
const path = `/v1/orgs/acme/sites/${site.id}`

const external = { kind: 'external', url: 'https://example.org/' }
const put = async (...redirects: object[]) => {
  const { status, body, text } = await creator.put(`${path}/redirects`, { redirects })
  assert.is(status, 200, text)
  return body.results
}
const list = async (query = '') =>
  (await creator.get(`${path}/redirects?limit=1000${query}`)).body.items
const targetOf = async (source: string) =>
  (await creator.get(`${path}/redirect?source=${source}`)).body.target

test('redirects are created, replaced and deleted by their path', async () => {
  const made = await put(
    { source: '/a', destination: external, permanent: true },
    { source: '/b', destination: { kind: 'path', spaceId: space.id, path: 'deep/page' } },
    { source: '/old/*', destination: external, captureWildcard: true },
  )
  assert.equal(
    made.map((each: { status: string }) => each.status),
    ['created', 'created', 'created'],
  )
  assert.is(await targetOf('/b'), `${app.url}/sites/acme/docs/deep/page`)
  assert.is(await targetOf('/old/x/Y'), 'https://example.org/x/Y')

  const [changed, gone, again] = await put(
    { source: '/A', destination: { kind: 'external', url: 'https://example.org/a' } },
    { source: '/b', destination: null },
    { source: '/b', destination: null },
  )
  assert.equal(changed, { status: 'updated', source: '/A', draft: false, id: made[0].id })
  assert.equal([gone.status, again.status], ['deleted', 'deleted'])
  const [, first] = await list()
  assert.equal(
    [first.source, first.permanent, first.destination.url, typeof first.updatedAt],
    ['/A', true, 'https://example.org/a', 'string'],
  )
})

test('what cannot be changed says why, and the others are changed', async () => {
  const own = `https://${new URL(app.url).host}/sites/acme/${site.basename}/x`
  const tried = await put(
    { source: '/one', destination: external },
    { source: '/two', destination: { kind: 'site-space', siteSpaceId: 'none' } },
    { source: '/three', destination: { kind: 'path', spaceId: space.id, path: 'none' } },
    { source: '/four', destination: external, captureWildcard: true },
    { source: '/../five', destination: external },
    { source: '/six', intent: 'publish' },
    { source: '/seven', destination: { kind: 'path', spaceId: 'none', path: 'new' } },
    { source: '/eight', destination: { kind: 'external', url: own } },
    { source: '/last', destination: external },
  )
  assert.equal(
    tried.map((each: { status: string }) => each.status),
    ['created', 'error', 'error', 'error', 'error', 'error', 'error', 'error', 'created'],
  )
  assert.match(tried[2].error, 'has no page at "none"')
  assert.equal([tried[5].id, tried[5].draft], [undefined, false])
})

test('a draft takes the place of the redirect when it is published', async () => {
  const [live, draft] = await put(
    { source: '/p', destination: external },
    {
      source: '/p',
      intent: 'draft',
      destination: { kind: 'external', url: 'https://example.org/p' },
    },
  )
  assert.equal([live.draft, draft.draft], [false, true])
  assert.equal(
    (await list('&draft=true')).map((each: { id: string }) => each.id),
    [draft.id],
  )
  assert.is(await targetOf('/p'), 'https://example.org/')

  const [published] = await put({ source: '/p', intent: 'publish' })
  assert.equal(published, { status: 'published', source: '/p', draft: false, id: live.id })
  assert.is(await targetOf('/p'), 'https://example.org/p')
  assert.equal(await list('&draft=true'), [])
})

test('a change of a redirect publishes its draft unless another one is in its place', async () => {
  const body = { source: '/q', destination: external, draft: true }
  const made = await creator.post(`${path}/redirects`, body)
  assert.equal([made.status, made.body.draft], [201, true])
  assert.is((await creator.post(`${path}/redirects`, body)).status, 409)
  const one = `${path}/redirects/${made.body.id}`
  assert.is((await creator.patch(one, { captureWildcard: true })).status, 400)
  assert.is((await creator.patch(one, { draft: false })).body.draft, false)
  const next = (await creator.post(`${path}/redirects`, body)).body
  assert.is((await creator.patch(`${path}/redirects/${next.id}`, { draft: false })).status, 409)
})

test('at most 500 changes, and none without one', async () => {
  const many = (count: number) => ({
    redirects: Array.from({ length: count }, (_, at) => ({
      source: `/many/${at}`,
      destination: { kind: 'path', spaceId: space.id, path: 'new' },
    })),
  })
  assert.is((await creator.put(`${path}/redirects`, many(501))).status, 400)
  assert.is((await creator.put(`${path}/redirects`, many(0))).status, 400)
  const { status, body } = await creator.put(`${path}/redirects`, many(500))
  assert.is(status, 200)
  assert.is(body.results.length, 500)
  assert.is(await targetOf('/many/499'), await targetOf('/many/0'))
})

test('only users with the role "create" on the site write redirects', async () => {
  const reader = app.user('Rae', 'read')
  const body = { redirects: [{ source: '/mine', destination: external }] }
  assert.is((await reader.put(`${path}/redirects`, body)).status, 403)
})

test.run()
