import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { insertOrganization, putMember } from '../../../src/store/people/organizations.ts'
import { actor, startApp } from '../../support/app.ts'
import { send } from '../../support/http/send.ts'
import { readingToken } from '../../support/sites.ts'

const host = 'sites.example.test'
const app = await startApp({ STEMMA_SITES_URL: `http://${host}` })
test.after(() => app.stop())
const at = '2026-01-01T00:00:00.000Z'
insertOrganization(app.ctx.store, { id: 'rival', title: 'Rival', created_at: at })
const rival = app.user('Rita')
putMember(app.ctx.store, 'rival', rival.id, 'admin', at)

const space = (await app.admin.post('/v1/orgs/acme/spaces', { title: 'Guides' })).body.id
const site = (await app.admin.post('/v1/orgs/acme/sites', { title: 'Guides', spaces: [space] }))
  .body.id
const sitePath = `/v1/orgs/acme/sites/${site}`
await app.admin.post(`${sitePath}/publish`)

const manifest = {
  organization: 'acme',
  title: 'Analytics',
  description: 'Counts.',
  scopes: ['site:script:inject', 'site:script:cookies'],
  script: 'hidden()',
  publishedScript: 'start(__CONFIGURATION__);/* __CONFIGURATION__ */',
  contentSecurityPolicy: {
    'script-src': "'self' https://cdn.example.com",
    'report-uri': 'https://x.example.com',
    'object-src': '*',
  },
  configurations: {
    site: {
      properties: { tag: { type: 'string' }, api_key: { type: 'string' } },
      required: ['tag'],
    },
  },
}

async function setUp(name: string, more: object = {}) {
  const path = `/v1/integrations/${name}`
  const published = await app.admin.post(path, { ...manifest, ...more })
  assert.is(published.status, 200, published.text)
  const { id } = (await app.admin.post(`${path}/installations`, { organization: 'acme' })).body
  const on = `${path}/installations/${id}/sites`
  const made = await app.admin.post(on, { siteId: site })
  assert.is(made.status, 201, made.text)
  return { path, at: `${path}/installations/${id}`, onSite: `${on}/${site}` }
}

const scripts = async () => (await app.admin.get(`${sitePath}/integration-scripts`)).body

/** Loads the address of a script from this server, under a host name. */
async function load(address: string, name = host) {
  const { pathname } = new URL(address)
  const { status, text, headers } = await send(app.url + pathname, {
    method: 'GET',
    headers: { host: name },
    body: undefined,
  })
  return { status, text, headers }
}

const one = await setUp('analytics')

test('a script is published once the configuration of the site is complete', async () => {
  assert.equal(await scripts(), [])
  await app.admin.patch(one.onSite, { configuration: { tag: 'A-1' } })
  const [found, ...others] = await scripts()
  assert.equal(others, [])
  assert.match(
    found.script,
    new RegExp(`^http://${host}/~integrations/analytics/${site}/1-[0-9a-f]{20}\\.js$`),
  )

  assert.equal(
    [found.cookies, found.contentSecurityPolicy],
    [true, "script-src 'self' https://cdn.example.com"],
  )
  const profile = (await app.admin.get(`${sitePath}/published`)).body

  assert.equal(profile.scripts, [found])
  const reader = actor(app.url, '', readingToken(app, site))

  assert.equal((await reader.get(`${sitePath}/published`)).body.scripts, [found])
})

test('a script is served on the host of sites alone, as JavaScript that never changes', async () => {
  const [{ script }] = await scripts()
  const { status, text, headers } = await load(script)
  assert.equal([status, text], [200, 'start({"tag":"A-1"});/* {"tag":"A-1"} */'])
  assert.match(headers.get('content-type') ?? '', 'text/javascript')
  assert.match(headers.get('cache-control') ?? '', 'immutable')
  assert.is(headers.get('x-content-type-options'), 'nosniff')
  assert.is((await load(script, new URL(app.url).host)).status, 404)
  assert.is((await load(script.replace(/[0-9a-f]\.js$/, 'x.js'))).status, 404)
})

test('a configuration cannot end the script or leave its secrets in it', async () => {
  const tag = '</script><!--&\u2028\u2029"'
  const [{ script: former }] = await scripts()
  await app.admin.patch(one.onSite, { configuration: { tag, api_key: 'hidden' } })
  const [{ script }] = await scripts()

  assert.is.not(script, former)
  const { text } = await load(script)

  assert.not.match(text, /[<&\u2028\u2029]|hidden/)
  const json = /^start\((.*)\);/.exec(text)?.[1] ?? ''

  assert.equal(JSON.parse(json), { tag, api_key: '' })
  assert.is((await load(former)).status, 404)
})

test('sites with share links and previews have no scripts', async () => {
  const { url } = (await app.admin.get(`${sitePath}/publishing/preview`)).body
  const preview = actor(app.url, '', new URL(url).searchParams.get('token') as string)
  assert.equal((await preview.get(`${sitePath}/published`)).body.scripts, [])
  const [{ script }] = await scripts()

  await app.admin.patch(sitePath, { visibility: 'share-link' })
  assert.equal(await scripts(), [])
  assert.is((await load(script)).status, 404)
  await app.admin.patch(sitePath, { visibility: 'public' })
  assert.is((await scripts()).length, 1)
})

test('scripts end with the installation, the scope, the field or the publication of the site', async () => {
  const other = await setUp('banner', { configurations: undefined, title: 'Banner' })
  const names = async () =>
    (await scripts()).map(({ script }: { script: string }) => script.split('/')[4])
  assert.equal(await names(), ['analytics', 'banner'])
  const [, { script }] = await scripts()

  await app.admin.post(`${sitePath}/unpublish`)
  assert.is((await load(script)).status, 404)
  await app.admin.post(`${sitePath}/publish`)
  assert.is((await load(script)).status, 200)
  await app.admin.post(other.path, { ...manifest, configurations: undefined, scopes: [] })
  assert.equal(await names(), ['analytics'])
  await app.admin.post(other.path, {
    ...manifest,
    configurations: undefined,
    publishedScript: undefined,
  })
  assert.equal(await names(), ['analytics'])
  await app.admin.delete(one.onSite)
  assert.equal(await names(), [])
})

test('an integration of another organization puts no scripts into pages', async () => {
  await rival.post('/v1/integrations/foreign', {
    ...manifest,
    organization: 'rival',
    visibility: 'public',
  })
  const path = '/v1/integrations/foreign/installations'
  const { id } = (await app.admin.post(path, { organization: 'acme' })).body
  assert.is((await app.admin.post(`${path}/${id}/sites`, { siteId: site })).status, 403)
})

test('there are no scripts while sites have the origin of the API', async () => {
  const same = await startApp()
  try {
    const { body } = await same.admin.post('/v1/orgs/acme/sites', { title: 'Guides' })
    await same.admin.post('/v1/integrations/analytics', { ...manifest, configurations: undefined })
    const path = '/v1/integrations/analytics/installations'
    const { id } = (await same.admin.post(path, { organization: 'acme' })).body
    const refused = await same.admin.post(`${path}/${id}/sites`, { siteId: body.id })

    assert.is(refused.status, 409)
    assert.equal(
      (await same.admin.get(`/v1/orgs/acme/sites/${body.id}/integration-scripts`)).body,
      [],
    )
  } finally {
    await same.stop()
  }
})

test.run()
