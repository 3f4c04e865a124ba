import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { startApp } from '../../support/app.ts'
import { insertPublicSite, openPage } from '../open-page.ts'

const app = await startApp({
  STEMMA_PUBLIC_URL: 'https://stemma.example.org',
  STEMMA_TRUST_PROXY: 'loopback',
})
test.after(() => app.stop())

const oid = 'a'.repeat(40)

/** A path at each address that the server has of its own, with what the server answers there. */
const paths: Readonly<Record<string, number>> = {
  'app/assets/intro': 404,
  'app/intro': 303,
  'join/aaaaaaaaaaaaaaaaaaaa': 404,
  'app/welcome': 404,
  docs: 200,
  [`files/guide/${oid}/intro`]: 404,
  'guide.git/intro': 404,
  healthz: 200,
  'integrations/chat/assets/intro': 404,
  metrics: 200,
  [`pdf/guide/${oid}/intro`]: 404,
  readyz: 200,
  'sso/account': 303,
  'sso/oidc/intro': 404,
  'sso/oidc/one/callback': 404,
  'sso/saml/intro': 404,
  'sso/saml/one/metadata': 404,
  'sso/sign-in': 200,
  'uploads/intro': 404,
  'v1/user': 401,
  'v1/intro': 404,
}

const files = Object.fromEntries(
  Object.keys(paths).map(path => [`${path}.md`, `# The page ${path}\n`]),
)
await insertPublicSite(app, { 'README.md': '# Home\n', ...files }, { hostname: 'docs.example.com' })

const asked = (path: string, host: string, accept = 'text/html') =>
  openPage(app, path, { accept, host })

for (const [path, status] of Object.entries(paths)) {
  test(`on the host of a site, /${path} is a page`, async () => {
    for (const accept of ['text/html', '*/*', 'text/markdown']) {
      const page = await asked(`/${path}`, 'docs.example.com', accept)
      assert.is(page.status, 200, `${accept}: ${page.text}`)
      assert.match(page.text, `The page ${path}`)
    }
  })

  test(`on the host of the server, /${path} is the server's`, async () => {
    const page = await asked(`/${path}`, 'stemma.example.org')
    assert.is(page.status, status, page.text.slice(0, 300))
    assert.not.match(page.text, 'The page ')
  })
}

test('a host that is no site keeps the addresses of programs', async () => {
  for (const [path, status] of Object.entries({ healthz: 200, 'v1/user': 401, docs: 200 }))
    assert.is((await asked(`/${path}`, '10.0.0.7:3000')).status, status, path)
})

test('a path without a page is answered with a page of the site', async () => {
  for (const path of ['/v1/absent', '/files/a/b/absent', '/app/absent']) {
    const page = await asked(path, 'docs.example.com')
    assert.is(page.status, 404)
    assert.match(page.headers.get('content-type') ?? '', 'text/html')
  }
})

test('the table has every address of the server', () => {
  const known = new Set(Object.keys(paths).map(path => path.split('/')[0]))
  for (const file of readdirSync('src', { recursive: true, encoding: 'utf8' }))
    if (file.endsWith('.ts'))
      for (const [, name] of readFileSync(join('src', file), 'utf8').matchAll(
        /\bapp\.(?:get|put|post|use)\(\s*'\/(\w[\w-]*)/g,
      ))
        assert.ok(known.has(name!), `${file}: /${name}`)
})

test.run()
