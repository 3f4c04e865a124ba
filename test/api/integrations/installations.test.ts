import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { insertOrganization, putMember } from '../../../src/store/people/organizations.ts'
import { actor, startApp } from '../../support/app.ts'

const app = await startApp()
test.after(() => app.stop())
const at = '2026-01-01T00:00:00.000Z'
insertOrganization(app.ctx.store, { id: 'rival', title: 'Rival', created_at: at })
const rival = app.user('Rita')
putMember(app.ctx.store, 'rival', rival.id, 'admin', at)
const member = app.user('Mel', 'read')

const configurations = {
  account: {
    properties: {
      region: { type: 'string', enum: ['eu', 'us'] },
      client_secret: { type: 'string' },
      limit: { type: 'number' },
      login: { type: 'button', callback_url: '/login', button_text: 'Sign in' },
    },
    required: ['region', 'login'],
  },
  site: { properties: { tag: { type: 'string' } } },
}

async function publish(name: string, more: object = {}) {
  const { status, text } = await app.admin.post(`/v1/integrations/${name}`, {
    organization: 'acme',
    title: 'Widgets',
    description: 'Puts widgets on pages.',
    scopes: ['space:content:read', 'site:metadata:read'],
    script: 'export default {}',
    configurations,
    visibility: 'public',
    ...more,
  })

  assert.is(status, 200, text)
  return `/v1/integrations/${name}`
}

const install = async (path: string, by = app.admin, organization = 'acme') => {
  const { status, body, text, headers } = await by.post(`${path}/installations`, { organization })
  assert.is(status, 201, text)
  assert.is(headers.get('location'), body.urls.location)
  return { id: body.id as string, at: `${path}/installations/${body.id}`, body }
}

const site = (await app.admin.post('/v1/orgs/acme/sites', { title: 'Guides' })).body.id

test('an installation is pending until its configuration is complete', async () => {
  const { at, body } = await install(await publish('widgets'))
  assert.equal(
    [body.status, body.space_selection, body.target, body.configuration],
    ['pending', 'all', { organization: 'acme' }, {}],
  )

  const patched = await app.admin.patch(at, {
    configuration: { region: 'eu', client_secret: 'hidden', limit: 3 },
    externalIds: ['T1'],
  })

  assert.equal(
    [patched.body.status, patched.body.configuration, patched.body.externalIds],
    ['active', { region: 'eu', client_secret: '', limit: 3 }, ['T1']],
  )

  const refused: object[] = [
    { region: 'asia' },
    { region: 'eu', more: 1 },
    { limit: '3' },
    { login: 'x' },
    { constructor: 'x' },
  ]

  for (const configuration of refused)
    assert.is(
      (await app.admin.patch(at, { configuration })).status,
      400,
      JSON.stringify(configuration),
    )

  assert.is((await member.patch(at, { externalIds: [] })).status, 403)
  assert.is((await member.get(at)).body.configuration.client_secret, '')
})

test('the integration alone reads secrets of its configuration, also after others configure it', async () => {
  const path = '/v1/integrations/widgets'
  const found = (await app.admin.get('/v1/orgs/acme/installations?search=widg')).body
  assert.is(found.count, 1)
  const at = `${path}/installations/${found.items[0].installation.id}`
  const secret = (await app.admin.post(`${path}/secret`)).body.token
  const integration = actor(app.url, '', secret)

  assert.is((await integration.get(at)).body.configuration.client_secret, 'hidden')
  await app.admin.patch(at, { configuration: { region: 'us', client_secret: '' } })
  assert.equal((await integration.get(at)).body.configuration, {
    region: 'us',
    client_secret: 'hidden',
  })
  const again = (await app.admin.post(`${path}/secret`)).body.token

  assert.is((await integration.get(at)).status, 401)
  const { token } = (await actor(app.url, '', again).post(`${at}/tokens`)).body

  assert.is((await actor(app.url, '', token).get(at)).body.configuration.client_secret, 'hidden')
})

test('the secret of an integration does nothing but act for its own installations', async () => {
  const path = await publish('other')
  const { at } = await install(path)
  const integration = actor(app.url, '', (await app.admin.post(`${path}/secret`)).body.token)
  assert.is((await integration.post(`${at}/tokens`)).status, 200)
  assert.is((await integration.get('/v1/integrations/widgets')).status, 404)
  for (const each of ['/v1/user', '/v1/orgs', '/v1/orgs/acme/sites', '/v1/user/tokens'])
    assert.is((await integration.get(each)).status, 403, each)
  assert.is((await integration.patch(at, {})).status, 403)
  assert.is((await integration.post(`${path}/secret`)).status, 403)
  const { items } = (await app.admin.get('/v1/orgs/acme/installations?search=widgets')).body
  const foreign = `/v1/integrations/widgets/installations/${items[0].installation.id}`

  assert.is((await integration.post(`${foreign}/tokens`)).status, 404)
  assert.is(
    (await integration.post(foreign.replace('widgets', 'other').concat('/tokens'))).status,
    404,
  )
})

test('tokens end at once when the integration is uninstalled or unpublished', async () => {
  const path = await publish('short', { visibility: 'private' })
  for (const end of ['uninstall', 'unpublish']) {
    const { at } = await install(path)
    const { token } = (await app.admin.post(`${at}/tokens`)).body
    const by = actor(app.url, '', token)
    assert.is((await by.get('/v1/orgs/acme/sites')).status, 200)
    assert.is((await app.admin.delete(end === 'uninstall' ? at : path)).status, 204)
    assert.is((await by.get('/v1/orgs/acme/sites')).status, 401)
  }
})

test('a token ends when the one who installed the integration leaves', async () => {
  const leaver = app.user('Lea', 'admin')
  const { at } = await install(await publish('left', { visibility: 'private' }), leaver)
  const by = actor(app.url, '', (await app.admin.post(`${at}/tokens`)).body.token)
  assert.is((await by.get('/v1/orgs/acme/sites')).status, 200)
  await app.admin.delete(`/v1/orgs/acme/members/${leaver.id}`)
  assert.ok([401, 404].includes((await by.get('/v1/orgs/acme/sites')).status))
})

test('later versions add no scopes until the integration is installed again', async () => {
  const path = await publish('growing', { scopes: ['site:metadata:read'] })
  const { at } = await install(path)
  const by = actor(app.url, '', (await app.admin.post(`${at}/tokens`)).body.token)
  await publish('growing', { scopes: ['site:adaptive:read'] })
  assert.equal((await app.admin.get(at)).body.scopes, [])
  assert.is((await by.get('/v1/orgs/acme/sites')).status, 403)
  assert.is((await by.get(`/v1/orgs/acme/sites/${site}/adaptive-schema`)).status, 403)
  const again = await install(path)

  assert.equal([again.at, again.body.scopes], [at, ['site:adaptive:read']])
  assert.is((await by.get(`/v1/orgs/acme/sites/${site}/adaptive-schema`)).status, 404)
})

test('public integrations are installed by other organizations, and keep to them', async () => {
  const path = '/v1/integrations/other'
  const { at } = await install(path, rival, 'rival')
  assert.is((await app.admin.get(at)).status, 404)
  assert.is((await app.admin.delete(path)).status, 409)
  assert.is(
    (
      await app.admin.post(path, {
        organization: 'acme',
        title: 'Widgets',
        description: '',
        scopes: [],
        script: '',
      })
    ).status,
    409,
  )
  assert.is((await rival.post(`${at}/tokens`)).status, 403)
  const { token } = (await app.admin.post(`${at}/tokens`)).body
  const by = actor(app.url, '', token)

  assert.is((await by.get('/v1/orgs/rival/sites')).status, 200)
  assert.is((await by.get('/v1/orgs/acme/sites')).status, 404)
  assert.is((await rival.post(`${path}/installations`, { organization: 'acme' })).status, 404)
  await publish('own', { visibility: 'private' })
  assert.is(
    (await rival.post('/v1/integrations/own/installations', { organization: 'rival' })).status,
    404,
  )
})

test('an integration is installed, configured and listed on a site', async () => {
  const { at } = await install('/v1/integrations/widgets')
  assert.is((await member.post(`${at}/sites`, { siteId: site })).status, 404)
  const made = await app.admin.post(`${at}/sites`, { siteId: site })
  assert.equal([made.status, made.body.site, made.body.status], [201, site, 'active'])
  const shown = await app.admin.get(`${at}/sites?extended=true`)

  assert.is(shown.body.items[0].site.id, site)
  const patched = await app.admin.patch(`${at}/sites/${site}`, { configuration: { tag: 'A-1' } })

  assert.equal(patched.body.configuration, { tag: 'A-1' })
  assert.is(
    (await app.admin.patch(`${at}/sites/${site}`, { configuration: { tag: 1 } })).status,
    400,
  )
  const { items } = (await app.admin.get(`/v1/orgs/acme/sites/${site}/integrations`)).body

  assert.equal(
    items.map((each: { name: string }) => each.name),
    ['widgets'],
  )
  assert.is((await app.admin.delete(`${at}/sites/${site}`)).status, 204)
  assert.is((await app.admin.get(`${at}/sites/${site}`)).status, 404)
  assert.is((await app.admin.delete(`${at}/sites/${site}`)).status, 204)
})

test('the audit log names what happened, never secrets or tokens', async () => {
  const { text } = await app.admin.get('/v1/orgs/acme/audit-events?limit=100')
  for (const action of [
    'published',
    'unpublished',
    'installed',
    'updated',
    'uninstalled',
    'secret_created',
  ])
    assert.match(text, `integration.${action}`)

  assert.not.match(text, /hidden|sti_|stt_/)
})

test.run()
