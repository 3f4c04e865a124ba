import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { policyWith } from '../../src/site/sending/script-policy.ts'
import { insertPublicSite, openPage, siteApp } from './open-page.ts'
import { changeAudience, sitePath } from './visitors.ts'

const host = 'sites.example.test'
const app = await siteApp({ STEMMA_SITES_URL: `http://${host}` })
const { admin } = app
test.after(() => app.stop())

const page =
  "default-src 'none'; script-src 'self' 'sha256-x'; base-uri 'none'; frame-ancestors 'self'"
const address = 'https://sites.example.test/~integrations/a/b/1.js'

test('the policy of a page is extended, and never weaker', () => {
  assert.is(policyWith(page, []), page)
  const policy =
    "script-src 'unsafe-inline' 'unsafe-eval' * data: https: https://cdn.example.com; base-uri *; object-src *; frame-ancestors *; default-src *; connect-src https://api.example.com"
  assert.is(
    policyWith(page, [{ address, policy }]),
    `default-src 'none'; script-src 'self' 'sha256-x' ${address} https://cdn.example.com; base-uri 'none'; frame-ancestors 'self'; connect-src 'self' https://api.example.com`,
  )
})

test('a source of scripts that stands for hosts of everybody is left out', () => {
  const wide = [
    ...['https://*', 'HTTPS://*', 'http://*:443', '*:*', '*/x', 'filesystem:', 'https://'],
    ...[
      '*.com',
      'https://*.com',
      'https://*.com:443/x',
      '*.co.uk',
      'https://*.com.au',
      '*.*.example',
    ],
    ...["'strict-dynamic'", "'nonce-YWJj'", "'none'"],
  ]

  const narrow = [
    'https://*.example.com',
    '*.example.co.uk',
    'https://cdn.example.com/x.js',
    "'sha256-YWJj'",
  ]
  const policy = ['script-src', 'script-src-elem', 'worker-src']
    .map(name => `${name} ${[...wide, ...narrow].join(' ')}`)
    .join('; ')
  assert.is(
    policyWith(page, [{ address, policy }]),
    `default-src 'none'; script-src 'self' 'sha256-x' ${address} ${narrow.join(' ')}; base-uri 'none'; frame-ancestors 'self'; connect-src 'self'; worker-src 'self' ${narrow.join(' ')}`,
  )
})

test('pages of a site load the scripts of its integrations, but not behind a share link', async () => {
  const made = await insertPublicSite(app, { 'README.md': '# Home\n' })
  const basename = made.base.split('/').at(-2)
  const base = `/acme/${basename}/`
  const path = '/v1/integrations/analytics'
  const published = await admin.post(path, {
    organization: 'acme',
    title: 'Analytics',
    description: 'Counts.',
    scopes: ['site:script:inject'],
    script: 'hidden()',
    publishedScript: 'start(__CONFIGURATION__)',
    contentSecurityPolicy: { 'connect-src': 'https://count.example.com' },
  })

  assert.is(published.status, 200, published.text)
  const before = await openPage(app, base, { host })

  assert.is(before.status, 200)
  assert.not.match(before.text, '~integrations')
  const { id } = (await admin.post(`${path}/installations`, { organization: 'acme' })).body
  const installed = await admin.post(`${path}/installations/${id}/sites`, { siteId: made.site })

  assert.is(installed.status, 201, installed.text)
  const after = await openPage(app, base, { host })
  const [, script = ''] = /<script async src="([^"]*~integrations[^"]*)"/.exec(after.text) ?? []

  assert.match(script, `http://${host}/~integrations/analytics/${made.site}/`)
  const policy = after.headers.get('content-security-policy') ?? ''

  assert.match(policy, ` ${script};`)
  assert.match(policy, "connect-src 'self' https://count.example.com")
  assert.is((await openPage(app, new URL(script).pathname, { host })).status, 200)
  await changeAudience(app, made, 'share-link')
  const links = (await admin.get(`${sitePath(made.site)}/share-links`)).body.items
  const keyed = await openPage(app, new URL(links[0].urls.published).pathname, { host })

  assert.is(keyed.status, 200)
  assert.not.match(keyed.text + keyed.headers.get('content-security-policy'), '~integrations')
})

test.run()
