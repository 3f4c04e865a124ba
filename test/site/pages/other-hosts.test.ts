import { Writable } from 'node:stream'
import { pino } from 'pino'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { startApp } from '../../support/app.ts'
import { insertPublicSite, openPage } from '../open-page.ts'

const warnings: { host?: string; msg: string }[] = []
const log = pino(
  { level: 'warn', base: null },
  new Writable({
    write: (chunk, _encoding, done) => {
      warnings.push(JSON.parse(String(chunk)))
      done()
    },
  }),
)
const settings = { STEMMA_PUBLIC_URL: 'https://docs.example.org:8443' }
const app = await startApp(settings, log)
const behindProxy = await startApp({ ...settings, STEMMA_TRUST_PROXY: 'loopback' }, log)
test.after(async () => {
  await app.stop()
  await behindProxy.stop()
})

const pages = { 'README.md': '# Home\n', 'open.md': '# Open\n' }
const html = { accept: 'text/html' }
const { base } = await insertPublicSite(app, pages)
const proxied = await insertPublicSite(behindProxy, pages)
await insertPublicSite(behindProxy, pages, { hostname: 'own.example.com' })

test('behind a trusted proxy, the port of the host makes no difference', async () => {
  for (const host of ['docs.example.org', 'docs.example.org:8443', 'docs.example.org:47143']) {
    const { status } = await openPage(behindProxy, `${proxied.base}open`, { ...html, host })
    assert.is(status, 200, host)
  }
  for (const host of ['own.example.com', 'own.example.com:8443'])
    assert.is((await openPage(behindProxy, '/open', { ...html, host })).status, 200, host)
  const home = await openPage(behindProxy, '/', { ...html, host: 'docs.example.org' })
  assert.is(home.status, 200)
})

test('on the host of a site, a path is that of a page, also where the server has addresses of its own', async () => {
  const files = {
    'README.md': '# Home\n',
    'app/s/intro.md': '# Introduction\n',
    'uploads/limits.md': '# Limits\n',
  }
  await insertPublicSite(behindProxy, files, { hostname: 'app.example.com' })
  const asked = (host: string) => openPage(behindProxy, '/app/s/intro', { ...html, host })
  const page = await asked('app.example.com')
  assert.is(page.status, 200)
  assert.match(page.text, 'Introduction')
  assert.is((await asked('docs.example.org')).status, 303)
  const limits = await openPage(behindProxy, '/uploads/limits', {
    ...html,
    host: 'app.example.com',
  })
  assert.is(limits.status, 200)
  assert.match(limits.text, 'Limits')
})

test('without a proxy, another port is another address', async () => {
  const asked = (host: string) => openPage(app, `${base}open`, { ...html, host })
  assert.is((await asked('docs.example.org:8443')).status, 200)
  for (const host of ['docs.example.org', 'docs.example.org:47143'])
    assert.is((await asked(host)).status, 404, host)
})

test('another host gets a page that leads to the public URL, and the log says once what to set', async () => {
  warnings.length = 0

  for (const path of ['/', `${base}open`, '/nowhere'])
    for (const host of ['server.lan:3000', '192.0.2.7']) {
      const { status, text } = await openPage(app, path, { ...html, host })
      assert.is(status, 404, host)
      assert.match(text, 'href="https://docs.example.org:8443"')
      assert.match(text, /at another address/)
      assert.match(text, /STEMMA_PUBLIC_URL/)
    }

  const told = warnings.filter(({ msg }) => msg.includes('STEMMA_PUBLIC_URL'))

  assert.equal(
    told.map(({ host }) => host),
    ['server.lan:3000', '192.0.2.7'],
  )
})

test('a program gets the sentence, and the description of the API from any host', async () => {
  const { status, text } = await openPage(app, `${base}open`, { host: 'server.lan' })
  assert.is(status, 404)
  assert.match(
    JSON.parse(text).error.message,
    /at https:\/\/docs\.example\.org:8443.*STEMMA_PUBLIC/,
  )
  const bare = await openPage(app, '/', { host: 'server.lan' })
  assert.equal([bare.status, bare.headers.get('location')], [302, './docs'])
})

test('a missing page on a host that is known is an ordinary one', async () => {
  for (const [at, path, host] of [
    [app, `${base}nowhere`, 'docs.example.org:8443'],
    [app, '/nowhere', 'docs.example.org:8443'],
    [behindProxy, '/nowhere', 'own.example.com'],
  ] as const) {
    const { status, text } = await openPage(at, path, { ...html, host })
    assert.is(status, 404)
    assert.not.match(text, /STEMMA_PUBLIC_URL/)
  }
})

test('the log names a limited number of hosts', async () => {
  warnings.length = 0
  for (let n = 0; n < 120; n++) await openPage(app, '/x', { ...html, host: `h${n}.example.net` })
  assert.ok(warnings.length > 0 && warnings.length <= 100, String(warnings.length))
})

test.run()
