import { mkdirSync, mkdtempSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { missingFolders } from '../../src/cli/folder/prepare-folder.ts'
import { unknownSettings } from '../../src/cli/folder/unknown-settings.ts'
import { readConfig } from '../../src/config.ts'
import { openDatabase } from '../../src/store/engine/sqlite/open-database.ts'
import { startStemma, stemma, stemmaHere } from './stemma.ts'

let folder: string

test.before(() => {
  folder = mkdtempSync(join(tmpdir(), 'stemma-serve-'))
})
test.after(() => {
  rmSync(folder, { recursive: true, force: true })
})

const oneLine = (text: string) => assert.is(text.trimEnd().split('\n').length, 1, text)

test('every invalid variable is reported with its value and what it accepts', () => {
  const wrong: [name: string, value: string, takes: RegExp][] = [
    ['HOST', 'a b', /address or a host name/],
    ['PORT', '70000', /from 0 to 65535/],
    ['PORT', 'http', /from 0 to 65535/],
    ['STEMMA_PUBLIC_URL', 'ftp://x', /http or https URL/],
    ['STEMMA_PUBLIC_URL', 'https://x/?a', /without credentials and query/],
    ['STEMMA_PUBLIC_URL', 'https://u:p@x', /without credentials and query/],
    ['STEMMA_ADMIN_TOKEN', 'secret-secret', /"stm_" and/],
    ['STEMMA_ALLOW_PRIVATE_REMOTES', 'maybe', /true or false/],
    ['STEMMA_LOG', 'loud', /fatal, error/],
    ['STEMMA_MAX_IMPORT_PACK_MB', '0', /megabytes from 1/],
    ['STEMMA_METRICS_TOKEN', 'short', /at least 16/],
  ]
  for (const [name, value, takes] of wrong) {
    try {
      readConfig({ [name]: value })
      assert.unreachable(name)
    } catch (error) {
      const { message } = error as Error
      oneLine(message)
      assert.ok(message.startsWith(`${name} is `), message)
      assert.match(message, takes)
      assert.is(message.includes(value), !name.endsWith('_TOKEN'), message)
    }
  }
})

test('unknown variables are reported without their values', () => {
  assert.is(
    unknownSettings({ PATH: '/bin', STEMMA_DATA: 'x', STEMMA_URL: 'x', STEMMA_CRASH_AT: 'W1' }),
    undefined,
  )
  const line = unknownSettings({ STEMMA_TOKNE: 'stm_secret', STEMMA_DTA: 'x' }) ?? ''
  oneLine(line)
  assert.match(line, /^STEMMA_TOKNE.*, STEMMA_DTA \(did you mean STEMMA_DATA\?\) are not settings/)
  assert.not.match(line, /secret/)
})

test('an unknown variable is answered with the setting that it resembles', () => {
  const cases = {
    STEMMA_LOGLEVEL: 'STEMMA_LOG',
    STEMMA_LOG_LEVEL: 'STEMMA_LOG',
    STEMMA_PORT: 'PORT',
    STEMMA_HOST: 'HOST',
    STEMMA_PUBLICURL: 'STEMMA_PUBLIC_URL',
    STEMMA_PUBLIC_ULR: 'STEMMA_PUBLIC_URL',
    STEMMA_DATA_DIR: 'STEMMA_DATA',
    STEMMA_TRUSTED_PROXY: 'STEMMA_TRUST_PROXY',
    STEMMA_MAX_TOKEN: 'STEMMA_MAX_TOKENS',
    STEMMA_COLOR: undefined,
  }
  for (const [name, near] of Object.entries(cases)) {
    const line = unknownSettings({ [name]: '' }) ?? ''
    const said = near === undefined ? name : `${name} (did you mean ${near}?)`
    assert.is(
      line,
      `${said} is not a setting and has no effect. docs/configuration.md lists the settings.`,
    )
  }
})

test('missing folders of templates and fonts are reported', () => {
  const file = join(folder, 'no-folder')
  writeFileSync(file, '')
  const env = { STEMMA_TEMPLATES: join(folder, 'nothing'), STEMMA_FONTS: `${folder}:${file}` }
  assert.equal(missingFolders(readConfig(env)), [
    `STEMMA_TEMPLATES is ${join(folder, 'nothing')}, which is not a folder; it has no effect.`,
    `STEMMA_FONTS is ${file}, which is not a folder; it has no effect.`,
  ])
  assert.equal(missingFolders(readConfig({ STEMMA_TEMPLATES: folder, STEMMA_FONTS: folder })), [])
})

test('an invalid variable, a file in place of the folder and an address in use end the start with a sentence', async () => {
  const file = join(folder, 'file')
  writeFileSync(file, '')
  const foreign = join(folder, 'foreign')
  mkdirSync(foreign)
  writeFileSync(join(foreign, 'photo.jpg'), '')
  const cases: [env: Record<string, string>, sentence: RegExp][] = [
    [{ PORT: 'http' }, /^PORT is "http"; it takes a port/],
    [{ STEMMA_KEYS: 'secret' }, /^STEMMA_KEYS is invalid; it takes one to three keys/],
    [{ STEMMA_KEYS: Buffer.alloc(32).toString('base64') }, /^STEMMA_KEYS is set without/],
    [{ STEMMA_DATA: file }, /^STEMMA_DATA is ".*file".*It is a file/],
    [
      { STEMMA_DATA: foreign },
      /^STEMMA_DATA is ".*foreign", which contains "photo.jpg" and no data/,
    ],
    [{ STEMMA_DATA: '/proc/x' }, /^STEMMA_DATA is "\/proc\/x".*No folder can be created there/],
    [{ STEMMA_DATA: join(folder, 'elsewhere'), PORT: '0', HOST: '192.0.2.1' }, /^HOST is "192/],
  ]

  for (const [env, sentence] of cases) {
    const { code, stdout, stderr } = await stemmaHere(['serve'], env)
    oneLine(stderr)
    assert.match(stderr, sentence)
    assert.is(code, 2)
    assert.is(stdout, '')
  }
})

test('the first start prints a token, a second server is refused, and SIGTERM lets a request in flight finish', async () => {
  const data = join(folder, 'data')
  const env = { STEMMA_DATA: data, PORT: '0', STEMMA_LOG: 'silent' }
  const server = startStemma(['serve'], env)
  const [, url = ''] = await server.says(/listens on (http:\S+),/)
  const [, token = ''] = await server.says(/Bearer (stm_\w+)' http/)
  const { port } = new URL(url)
  const user = await fetch(`${url}/v1/user`, { headers: { authorization: `Bearer ${token}` } })

  assert.is(user.status, 200)
  await user.text()

  const second = await stemmaHere(['serve'], env)
  const taken = await stemmaHere(['serve'], {
    ...env,
    STEMMA_DATA: join(folder, 'other'),
    PORT: port,
  })

  assert.is(second.code, 75)
  oneLine(second.stderr)
  assert.match(
    second.stderr,
    new RegExp(`^Another server holds .* \\(process ${server.pid}, listening on`),
  )
  assert.is(taken.code, 2)
  assert.match(taken.stderr, new RegExp(`^Port ${port} on 127\\.0\\.0\\.1 is in use`))

  const socket = connect(Number(port), '127.0.0.1')
  let answer = ''

  socket.on('data', chunk => {
    answer += chunk
  })
  const body = JSON.stringify({ title: 'Late' })
  const head = [
    'POST /v1/orgs/default/spaces HTTP/1.1',
    'Host: x',
    `Authorization: Bearer ${token}`,
  ]

  head.push('Expect: 100-continue')
  socket.write(
    `${[...head, 'Content-Type: application/json', `Content-Length: ${body.length}`].join('\r\n')}\r\n\r\n{`,
  )
  while (!answer.includes('\r\n\r\n')) await new Promise(resolve => setTimeout(resolve, 20))
  server.kill('SIGTERM')
  const ask = () =>
    fetch(`${url}/healthz`, { headers: { connection: 'close' } }).then(
      () => 'served',
      () => 'refused',
    )

  for (let tries = 0; (await ask()) !== 'refused'; tries++) {
    assert.ok(tries < 400, 'it goes on to listen')
    await new Promise(resolve => setTimeout(resolve, 20))
  }

  socket.write(body.slice(1))
  const { code, stderr } = await server.ended

  assert.match(answer, /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 201 /)
  assert.is(code, 0)
  assert.is(stderr, '')
  socket.destroy()
})

test('a first start that cannot write ends; the next one prints a token, but never a chosen one', async () => {
  const data = join(folder, 'refusing')
  const chosen = `stm_${'k'.repeat(30)}`
  const env = { STEMMA_DATA: data, PORT: '0', STEMMA_LOG: 'silent', STEMMA_ADMIN_TOKEN: chosen }
  mkdirSync(data)
  const database = openDatabase(join(data, 'stemma.db'))

  database.exec(
    "CREATE TRIGGER no_room BEFORE INSERT ON user BEGIN SELECT raise(ABORT, 'no room'); END",
  )
  database.close()
  const first = await stemma(['serve'], env)

  assert.is(first.code, 1)
  assert.match(first.stderr, /no room/)

  const again = openDatabase(join(data, 'stemma.db'))

  again.exec('DROP TRIGGER no_room')
  again.close()
  const server = startStemma(['serve'], env)
  const [, url = ''] = await server.says(/listens on (http:\S+),/)

  await server.says(/First start: .* the one in STEMMA_ADMIN_TOKEN/)
  const user = await fetch(`${url}/v1/user`, { headers: { authorization: `Bearer ${chosen}` } })

  assert.is(user.status, 200)
  server.kill('SIGTERM')
  const { code, stdout } = await server.ended

  assert.is(code, 0)
  assert.not.match(stdout, new RegExp(chosen))
})

test('the first start loads the integrations of the operator for the organization that it creates', async () => {
  const [data, integrations] = [join(folder, 'with-integrations'), join(folder, 'integrations')]
  mkdirSync(join(integrations, 'widgets'), { recursive: true })
  const manifest =
    'name: widgets\ntitle: Widgets\ndescription: Puts widgets on pages.\norganization: default\nvisibility: public\nscopes: []\n'
  writeFileSync(join(integrations, 'widgets/gitbook-manifest.yaml'), manifest)
  const token = `stm_${'t'.repeat(40)}`
  const server = startStemma(['serve'], {
    STEMMA_DATA: data,
    PORT: '0',
    STEMMA_INTEGRATIONS: integrations,
    STEMMA_ADMIN_TOKEN: token,
  })
  const [, url] = await server.says(/listens on (\S+),/)

  await server.says(/First start/)
  const found = await fetch(`${url}/v1/integrations/widgets`, {
    headers: { authorization: `Bearer ${token}` },
  })

  server.kill('SIGTERM')
  const { stdout, stderr } = await server.ended

  assert.is(found.status, 200)
  assert.not.match(stdout + stderr, 'left out')
})

test('an uncaught error is logged and ends the server with an error exit code', async () => {
  for (const [at, fail] of Object.entries({
    exception: "throw new Error('boom')",
    rejection: "Promise.reject(new Error('boom'))",
  })) {
    const bomb = `data:text/javascript,${encodeURIComponent(`process.on('SIGUSR2', () => { ${fail} })`)}`
    const env = { STEMMA_DATA: join(folder, at), PORT: '0', NODE_OPTIONS: `--import=${bomb}` }
    const server = startStemma(['serve'], env)
    const [, url = ''] = await server.says(/listens on (http:\S+),/)

    assert.is((await fetch(`${url}/healthz`)).status, 200)
    server.kill('SIGUSR2')
    const { code, stdout, stderr } = await server.ended

    assert.is(code, 1)
    assert.match(stderr, /Unexpected error: Error: boom\. The server stops; restart it\./)
    const line = stdout.split('\n').find(text => text.includes('"level":60')) ?? ''

    assert.match(JSON.parse(line).err, /Error: boom\n {4}at /)
  }
})

test('a damaged database ends the start with a sentence and stays unchanged', async () => {
  const data = join(folder, 'damaged')
  const env = { STEMMA_DATA: data, PORT: '0', STEMMA_LOG: 'silent' }
  const server = startStemma(['serve'], env)
  await server.says(/Bearer/)
  server.kill('SIGTERM')
  assert.is((await server.ended).code, 0)
  const file = join(data, 'stemma.db')

  truncateSync(file, statSync(file).size - 8192)
  const { code, stdout, stderr } = await stemmaHere(['serve'], env)

  assert.is(code, 1)
  oneLine(stderr)
  assert.match(stderr, /stemma\.db is damaged .*"stemma restore"/)
  assert.is(stdout, '')

  // The lock on the folder is released.
  assert.is((await stemmaHere(['serve'], env)).code, 1)
})

test.run()
