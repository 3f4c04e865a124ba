import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { insertOrganization, putMember } from '../../../src/store/people/organizations.ts'
import { startApp } from '../../support/app.ts'

const app = await startApp()
test.after(() => app.stop())
const at = '2026-01-01T00:00:00.000Z'
insertOrganization(app.ctx.store, { id: 'rival', title: 'Rival', created_at: at })
const rival = app.user('Rita')
putMember(app.ctx.store, 'rival', rival.id, 'admin', at)
const member = app.user('Mel', 'read')

const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex').toString('base64')
const manifest = (more: object = {}) => ({
  organization: 'acme',
  title: 'Widgets',
  description: 'Puts widgets on pages.',
  scopes: ['space:content:read'],
  script: 'export default "the hidden script"</script>',
  ...more,
})
const publish = (name: string, more: object = {}, by = app.admin) =>
  by.post(`/v1/integrations/${name}`, manifest(more))

test('an integration is published as version 1, and again as version 2', async () => {
  const first = await publish('widgets', { icon: png, secrets: { API: 'the hidden secret' } })
  assert.is(first.status, 200, first.text)
  assert.equal(
    [first.body.version, first.body.visibility, first.body.target, first.body.verified],
    [1, 'private', 'all', false],
  )
  assert.is(first.body.permissions.admin, true)
  const second = await publish('widgets', { title: 'More widgets' })

  assert.equal(
    [second.body.version, second.body.title, second.body.urls.icon],
    [2, 'More widgets', undefined],
  )
  assert.is((await app.admin.get('/v1/integrations/WIDGETS')).body.name, 'widgets')
})

test('scripts and secrets are never shown', async () => {
  const texts = await Promise.all(
    ['/v1/integrations', '/v1/integrations/widgets', '/v1/orgs/acme/audit-events'].map(
      async path => {
        const { text } = await app.admin.get(path)
        return text
      },
    ),
  )

  assert.not.match(texts.join(), /hidden/)
  assert.match(texts.join(), 'integration.published')
})

test('private integrations exist for their organization alone', async () => {
  assert.is((await member.get('/v1/integrations/widgets')).status, 200)
  assert.is((await rival.get('/v1/integrations/widgets')).status, 404)
  assert.equal((await rival.get('/v1/integrations')).body.items, [])
  await publish('shared', { visibility: 'public', title: 'A shared one' })
  await publish('link-only', { visibility: 'unlisted' })
  const { body } = await rival.get('/v1/integrations')

  assert.equal(
    body.items.map((each: { name: string }) => each.name),
    ['shared'],
  )
  assert.is((await rival.get('/v1/integrations/link-only')).status, 200)
  const { owner, permissions } = body.items[0]

  assert.equal([owner.id, owner.permissions.view, permissions.admin], ['acme', false, false])
})

test('names are unique in any case, and never change hands', async () => {
  assert.is((await publish('WIDGETS')).status, 409)
  assert.is((await publish('widgets', { organization: 'rival' }, rival)).status, 409)
  assert.is((await publish('constructor')).status, 200)
  for (const name of ['..', '%2e', 'a b', 'x'.repeat(101)])
    assert.ok([400, 404, 405].includes((await publish(encodeURIComponent(name))).status), name)
  assert.is((await publish('other', { organization: 'rival' })).status, 404)
  assert.is((await publish('other', {}, member)).status, 403)
})

test('lists are filtered and paged', async () => {
  const names = async (query: string) => {
    const { body } = await app.admin.get(`/v1/integrations?${query}`)
    return body.items.map((each: { name: string }) => each.name)
  }

  await publish('charts', {
    title: 'Charts',
    categories: ['analytics'],
    target: 'site',
    scopes: ['site:script:inject'],
    blocks: [{ id: 'chart', title: 'Chart', urlUnfurl: ['https://charts.example.com/**'] }],
  })
  assert.equal(await names('search=CHART'), ['charts'])
  assert.equal(await names('category=analytics&scope=site:script:inject&target=site'), ['charts'])
  assert.equal(await names('blocks=true'), ['charts'])
  assert.equal(await names('blockDomain=example.com'), ['charts'])
  assert.equal(await names('blockDomain=ample.com'), [])
  assert.equal(await names('contentSources=true'), [])
  assert.is((await names('owner=acme')).length, 5)
  const first = (await app.admin.get('/v1/orgs/acme/integrations?limit=3')).body
  const next = (await app.admin.get(`/v1/orgs/acme/integrations?limit=3&page=${first.next.page}`))
    .body

  assert.equal([first.count, first.items.length, next.items.length], [3, 3, 2])
  assert.is((await app.admin.get('/v1/integrations?category=none')).status, 400)
})

test('images are recognised by their bytes and served without a token', async () => {
  const { body } = await publish('pictured', {
    icon: png,
    previewImages: [png],
    blocks: [{ id: 'one', title: 'One', icon: png }],
  })

  for (const address of [body.urls.icon, body.previewImages[0], body.blocks[0].icon]) {
    const reply = await fetch(address)
    assert.equal([reply.status, reply.headers.get('content-type')], [200, 'image/png'])
    assert.is(Buffer.from(await reply.arrayBuffer()).toString('base64'), png)
    assert.is(reply.headers.get('x-content-type-options'), 'nosniff')
  }

  assert.is((await fetch(body.urls.icon.replace(/.$/, 'x'))).status, 404)
  const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>').toString('base64')

  for (const icon of [
    svg,
    `${png} `,
    `${png.slice(0, 8)}\n${png.slice(8)}`,
    'data:image/png;base64,',
  ])
    assert.is((await publish('pictured', { icon })).status, 400, icon)
})

test('an impossible manifest is refused', async () => {
  const refused: object[] = [
    { title: 'x' },
    { scopes: ['everything'] },
    { scopes: ['openapi:read', 'openapi:read'] },
    { secrets: Object.fromEntries(Array.from({ length: 21 }, (_, at) => [`k${at}`, 'v'])) },
    { configurations: { site: { properties: {}, componentId: 'x' } } },
    { configurations: { site: { properties: {}, required: ['none'] } } },
    { configurations: { site: { properties: { a: { type: 'object' } } } } },
    {
      blocks: [
        { id: 'a', title: 'One' },
        { id: 'a', title: 'Two' },
      ],
    },
    { externalLinks: [{ url: 'javascript:alert(1)', label: 'x' }] },
    { contentSecurityPolicy: { 'script-src': '*' }, scopes: ['site:script:inject'] },
    { contentSecurityPolicy: { 'other-src': 'a' } },
    { verified: true },
  ]

  for (const each of refused)
    assert.is((await publish('refused', each)).status, 400, JSON.stringify(each))
  assert.is((await app.admin.get('/v1/integrations/refused')).status, 404)
})

test('addresses in a manifest are http or https URLs, or paths of the integration', async () => {
  const bad = [
    'javascript:alert(1)',
    'JavaScript:x',
    'data:text/html,x',
    '//evil.example',
    '/\\evil.example',
  ]

  bad.push(' javascript:x', 'x', '', '/a b', 'https:', 'ftp://a.example')
  const withUrls = (url: string, other: string) => ({
    configurations: {
      account: {
        properties: {
          go: { type: 'button', callback_url: url, button_text: 'Go' },
          pick: { type: 'string', completion_url: other },
        },
      },
    },
  })

  for (const url of bad) {
    assert.is((await publish('refused', withUrls(url, '/fine'))).status, 400, `callback_url ${url}`)
    assert.is(
      (await publish('refused', withUrls('/fine', url))).status,
      400,
      `completion_url ${url}`,
    )
    const externalLinks = [{ url, label: 'x' }]
    assert.is((await publish('refused', { externalLinks })).status, 400, `externalLinks ${url}`)
  }

  assert.is((await publish('addressed', withUrls('/login?a=b', 'https://a.example/c'))).status, 200)
})

test('an unpublished integration is gone', async () => {
  assert.is((await member.delete('/v1/integrations/charts')).status, 403)
  assert.is((await rival.delete('/v1/integrations/charts')).status, 204)
  assert.is((await app.admin.delete('/v1/integrations/charts')).status, 204)
  assert.is((await app.admin.get('/v1/integrations/charts')).status, 404)
  assert.is((await app.admin.delete('/v1/integrations/charts')).status, 204)
})

test.run()
