import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { saveToken } from '../../src/cli/api/token-file.ts'
import { startApp } from '../support/app.ts'
import { run } from '../support/git/client.ts'
import { stemma } from './stemma.ts'

const app = await startApp()
const folder = mkdtempSync(join(tmpdir(), 'stemma-cli-git-'))
const { body: space } = await app.admin.post('/v1/orgs/acme/spaces', { title: 'Our Handbook' })
test.after(async () => {
  await app.stop()
  rmSync(folder, { recursive: true, force: true })
})

const bin = new URL('../../bin/stemma.js', import.meta.url).pathname
const config = join(folder, 'config')
const base = {
  HOME: folder,
  XDG_CONFIG_HOME: config,
  STEMMA_URL: app.url,
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_TERMINAL_PROMPT: '0',
}
const withToken = { ...base, STEMMA_TOKEN: app.admin.token }

/** Saves the admin's token as "stemma login" does. */
function signIn(token = app.admin.token): void {
  const before = process.env.XDG_CONFIG_HOME
  process.env.XDG_CONFIG_HOME = config
  saveToken({ server: app.url, id: 'x', token, expiresAt: '2030-01-01T00:00:00.000Z' })
  if (before === undefined) delete process.env.XDG_CONFIG_HOME
  else process.env.XDG_CONFIG_HOME = before
}

/** Runs the credential helper as Git does. */
function helper(
  operation: string,
  input: string,
  env: Record<string, string>,
  args: readonly string[] = [],
) {
  const child = spawn(process.execPath, [bin, 'credential', ...args, operation], {
    env: { PATH: process.env.PATH ?? '', ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  const said = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const)
    child[name].on('data', chunk => {
      said[name] += chunk
    })

  child.stdin.end(input)

  return new Promise<{ code: number | null; stdout: string; stderr: string }>(resolve =>
    child.on('close', code => resolve({ code, ...said })),
  )
}
const question = `protocol=http\nhost=${new URL(app.url).host}\n\n`

test('a space says where its repository is', () => {
  assert.is(space.urls.git, `${app.url}/${space.id}.git`)
})

test('clone makes a clone whose files do not contain the token, and which can fetch', async () => {
  signIn()
  const into = join(folder, 'handbook')
  const { code, stderr } = await stemma(['clone', space.id, into], base)
  assert.is(code, 0, stderr)
  assert.ok(readdirSync(into).includes('README.md'))
  const settings = readFileSync(join(into, '.git/config'), 'utf8')

  assert.not.match(settings, app.admin.token)
  assert.match(settings, `url = ${app.url}/${space.id}.git`)
  const fetched = await run('git', ['fetch'], into, { ...base, STEMMA_URL: 'http://127.0.0.1:1' })

  assert.is(fetched.code, 0, fetched.stderr)
})

test('clone takes an address, and names the folder after the space', async () => {
  const { body: other } = await app.admin.post('/v1/orgs/acme/spaces', { title: 'Second, Book!' })
  const into = join(folder, 'here')
  mkdirSync(into)
  const { code, stderr } = await run(
    process.execPath,
    [bin, 'clone', `${app.url}/${other.id}.git`],
    into,
    withToken,
  )

  assert.is(code, 0, stderr)
  assert.equal(readdirSync(into), ['second-book'])
})

test('clone fails with a sentence without a token, space or address', async () => {
  const none = await stemma(['clone', space.id], { ...base, XDG_CONFIG_HOME: join(folder, 'none') })
  assert.equal([none.code, /stemma login/.test(none.stderr)], [2, true])
  const unknown = await stemma(['clone', 'nothing'], withToken)
  assert.equal(
    [unknown.code, unknown.stderr],
    [1, 'There is no space "nothing", or you may not see it.\n'],
  )
  const wrong = await stemma(['clone', 'ssh://host/x'], withToken)

  assert.equal([wrong.code, /is not the id of a space/.test(wrong.stderr)], [2, true])
})

test('the credential helper gives the token of a server to that server alone', async () => {
  signIn()
  const given = await helper('get', question, base)
  assert.equal([given.code, given.stdout], [0, `username=stemma\npassword=${app.admin.token}\n`])
  assert.equal((await helper('get', question, withToken)).stdout, given.stdout)

  for (const [input, args] of [
    ['protocol=http\nhost=other.example\n\n', []],
    ['protocol=https\nhost=other.example\n\n', ['--server', app.url]],
    ['protocol=ssh\nhost=x\n\n', []],
    ['\n', []],
    [question, ['--server', 'https://other.example']],
  ] as const) {
    const other = await helper('get', input, withToken, args)
    assert.equal([other.code, other.stdout], [0, ''], input)
  }
})

test('the helper stores nothing, and erases a token that the server refused', async () => {
  const stored = await helper('store', `${question.trim()}\npassword=stm_x\n\n`, base)
  assert.equal([stored.code, stored.stdout], [0, ''])
  signIn('stm_old')
  const files = () => readdirSync(join(config, 'stemma/tokens')).length

  await helper('erase', `${question.trim()}\npassword=stm_another\n\n`, base)
  assert.is(files(), 1)
  await helper('erase', `${question.trim()}\npassword=stm_old\n\n`, base)
  assert.is(files(), 0)
  const { stdout, stderr } = await helper('get', question, base)

  assert.equal([stdout, /sign in with "stemma login"/.test(stderr)], ['', true])
})

test.run()
