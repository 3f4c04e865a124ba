import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { Browser } from '../support/http/browser.ts'
import { startStemma, stemmaHere } from './stemma.ts'

const folder = mkdtempSync(join(tmpdir(), 'stemma-open-'))
const env = { STEMMA_DATA: join(folder, 'data'), PORT: '0', STEMMA_LOG: 'silent' }
test.after(() => rmSync(folder, { recursive: true, force: true }))

const pathOf = (url: string) => {
  const { pathname, search } = new URL(url)
  return pathname + search
}

const codeOf = (url: string) => new URL(url).searchParams.get('code') ?? ''

test('a folder that is not there is not created', async () => {
  const { code, stderr } = await stemmaHere(['open'], env)
  assert.is(code, 1)
  assert.match(stderr, /There is no data folder/)
})

test('the address of the first start signs in, and "stemma open" prints more beside the server', async () => {
  const server = startStemma(['serve'], env)
  try {
    const [, url = ''] = await server.says(/\n\n {2}(http:\S+\/app\/welcome\?code=[\w-]{43})\n/)
    const browser = new Browser(new URL(url).origin)
    assert.match((await browser.get(pathOf(url))).text, /Welcome to Stemma/)
    const person = { displayName: 'Ada', email: 'ada@example.org' }
    const entered = await browser.post('/app/welcome', { code: codeOf(url), ...person })
    assert.is(entered.status, 303)
    assert.match(
      (await browser.get(entered.headers.get('location')!.replace(/^http:\/\/[^/]+/, ''))).text,
      /Ada/,
    )

    const opened = await stemmaHere(['open', '--json'], { ...env, PORT: '4711' })
    assert.is(opened.code, 0, opened.stderr)
    const { url: next, user } = JSON.parse(opened.stdout)
    assert.is(user, 'admin')
    assert.is(new URL(next).origin, new URL(url).origin)
    const second = new Browser(new URL(url).origin)
    assert.match((await second.get(pathOf(next))).text, /You sign in as <strong>Ada<\/strong>/)
    assert.is((await second.post('/app/welcome', { code: codeOf(next) })).status, 303)
    assert.ok(second.isSignedIn)

    const elsewhere = await stemmaHere(['open', '--user', 'ada@example.org', '--anywhere'], {
      ...env,
      STEMMA_PUBLIC_URL: 'https://docs.example.org/base',
    })
    assert.match(
      elsewhere.stdout,
      /^https:\/\/docs\.example\.org\/base\/app\/welcome\?code=[\w-]{43}\n$/,
    )
    const third = new Browser(new URL(url).origin)
    const code = codeOf(elsewhere.stdout.trim())
    const proxied = { 'x-forwarded-for': '192.0.2.7' }
    assert.is((await third.post('/app/welcome', { code }, proxied)).status, 303)

    const nobody = await stemmaHere(['open', '--user', 'nobody'], env)
    assert.is(nobody.code, 1)
    assert.match(nobody.stderr, /There is no user "nobody"/)
  } finally {
    server.kill('SIGTERM')
    await server.ended
  }
})

test('a token that the operator chose keeps the address out of the log', async () => {
  const chosen = `stm_${'k'.repeat(30)}`
  const data = join(folder, 'chosen')
  const server = startStemma(['serve'], { ...env, STEMMA_DATA: data, STEMMA_ADMIN_TOKEN: chosen })
  await server.says(/First start/)
  server.kill('SIGTERM')
  const { stdout } = await server.ended
  assert.not.match(stdout, /app\/welcome/)
})

test.run()
