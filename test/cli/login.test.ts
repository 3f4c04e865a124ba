import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { createCode } from '../../src/actions/sso/codes.ts'
import { signIn } from '../../src/actions/sso/sign-in.ts'
import { listenForCode } from '../../src/cli/api/await-code.ts'
import { randomId, sha256 } from '../../src/lib/digest.ts'
import { insertProvider } from '../../src/store/sso/providers.ts'
import { insertRequest } from '../../src/store/sso/requests.ts'
import { startApp } from '../support/app.ts'
import { send } from '../support/http/send.ts'
import { startStemma, stemmaHere } from './stemma.ts'

const app = await startApp()
const { ctx } = app
const config = mkdtempSync(join(tmpdir(), 'stemma-login-'))
test.after(async () => {
  await app.stop()
  rmSync(config, { recursive: true, force: true })
})

const env = { STEMMA_URL: app.url, XDG_CONFIG_HOME: config }
const run = (...args: string[]) => stemmaHere(args, env)
const folder = join(config, 'stemma', 'tokens')
const at = '2026-01-01T00:00:00.000Z'

const addProvider = (id: string, label: string) =>
  insertProvider(ctx.store, {
    id,
    organization_id: 'acme',
    kind: 'saml',
    label,
    active: 1,
    default_role: 'read',
    issuer: 'https://idp.example.org',
    sso_url: 'https://idp.example.org/sso',
    created_at: at,
    updated_at: at,
  })
addProvider('okta', 'Okta')

/**
 * Signs in a person through the provider, as the server does after a response that it accepted;
 * returns the code.
 */
function codeFor(
  email: string,
  set: { redirect_uri?: string; code_challenge?: string } = {},
): string {
  const requestId = `_${randomId()}`
  return ctx.store.transact(() => {
    insertRequest(ctx.store, {
      id: requestId,
      provider_id: 'okta',
      browser_hash: sha256('secret'),
      created_at: at,
      expires_at: new Date(ctx.now().getTime() + 60_000).toISOString(),
      ...set,
    })
    const identity = { subject: email, email }
    return createCode(ctx, signIn(ctx, { providerId: 'okta', requestId, identity }, null))
  })
}

const get = (url: string) => send(url, { method: 'GET', headers: {}, body: undefined })

test('a login through the loopback address saves a token that other commands use', async () => {
  const login = startStemma(['login', '--org', 'acme'], env)
  const [, address = ''] = await login.says(/\n {2}(http:\S+)\n/)
  const start = new URL(address)
  assert.is(start.pathname, '/sso/saml/okta')
  const redirect_uri = start.searchParams.get('redirect_uri') as string
  const state = start.searchParams.get('state') as string
  const code_challenge = start.searchParams.get('code_challenge') as string

  assert.match(redirect_uri, /^http:\/\/127\.0\.0\.1:\d+\/callback$/)
  const code = codeFor('zoe@example.org', { redirect_uri, code_challenge })
  const forged = await get(`${redirect_uri}?code=${code}&state=${'x'.repeat(43)}`)

  assert.is(forged.status, 400)
  assert.is((await get(redirect_uri.replace('callback', 'favicon.ico'))).status, 404)
  const back = await get(`${redirect_uri}?code=${code}&state=${state}`)

  assert.is(back.status, 200)
  assert.match(back.text, 'return to the terminal')
  const { code: exit, stdout, stderr } = await login.ended

  assert.is(exit, 0, stderr)
  assert.match(stdout, /^Signed in to Acme as zoe until \d{4}-/)
  const [name] = readdirSync(folder)
  const file = join(folder, name as string)

  assert.is(statSync(file).mode & 0o777, 0o600)
  assert.is(statSync(folder).mode & 0o777, 0o700)
  const { token } = JSON.parse(readFileSync(file, 'utf8'))

  assert.match(token, /^stm_/)
  for (const secret of [token, code]) assert.not.match(stdout + stderr, secret)
  assert.is((await run('space', 'list', '--org', 'acme')).code, 0)
})

test('STEMMA_TOKEN comes before the saved token', async () => {
  const { code, stderr } = await stemmaHere(['space', 'list', '--org', 'acme'], {
    ...env,
    STEMMA_TOKEN: 'stm_no',
  })
  assert.equal([code, /rejected the token in STEMMA_TOKEN/.test(stderr)], [1, true])
  const empty = await stemmaHere(['space', 'list', '--org', 'acme'], { ...env, STEMMA_TOKEN: '' })
  assert.is(empty.code, 0, empty.stderr)
})

test('a logout revokes the token and deletes its file', async () => {
  const [name] = readdirSync(folder)
  const { token } = JSON.parse(readFileSync(join(folder, name as string), 'utf8'))
  assert.is((await run('logout')).code, 0)
  assert.equal(readdirSync(folder), [])
  assert.is((await app.anonymous.get('/v1/user', { authorization: `Bearer ${token}` })).status, 401)
  assert.match((await run('logout')).stdout, /^You are not signed in to http/)
  const { code, stderr } = await run('space', 'list', '--org', 'acme')

  assert.is(code, 2)
  assert.match(stderr, 'stemma login')
})

test('a code of the page signs in without a listener', async () => {
  const { code, stdout, stderr } = await run(
    'login',
    '--code',
    codeFor('yuri@example.org'),
    '--json',
  )

  assert.is(code, 0, stderr)
  const { server, organization, user } = JSON.parse(stdout)
  assert.equal([server, organization.id, user.displayName], [app.url, 'acme', 'yuri'])
})

test('a rejected token that was saved asks for another login, and a logout still deletes it', async () => {
  const [name] = readdirSync(folder)
  const { token } = JSON.parse(readFileSync(join(folder, name as string), 'utf8'))
  await app.anonymous.request('DELETE', '/v1/user/tokens', undefined, {
    authorization: `Bearer ${token}`,
  })
  const { code, stderr } = await run('space', 'list', '--org', 'acme')

  assert.equal([code, /"stemma login" saved\. Sign in again/.test(stderr)], [1, true])
  assert.is((await run('logout')).code, 0)
  assert.equal(readdirSync(folder), [])
})

test('a wrong code, an unknown organization and a missing choice are failures', async () => {
  const wrong = await run('login', '--code', 'nothing')
  assert.equal([wrong.code, readdirSync(folder)], [1, []])
  const unknown = await run('login', '--org', 'nothing')
  assert.equal([unknown.code, /no identity provider/.test(unknown.stderr)], [1, true])
  assert.is((await run('login')).code, 2)
  addProvider('entra', 'Entra ID')
  const several = await run('login', '--org', 'acme')

  assert.is(several.code, 2)
  assert.match(several.stderr, /--provider:\n {2}okta {2}Okta\n {2}entra {2}Entra ID/)
})

test('the listener refuses everything but the right state, and gives up after its limit', async () => {
  const listener = await listenForCode('right', 200)
  for (const query of [
    '',
    '?code=x',
    '?code=x&state=',
    '?code=x&state=righ',
    '?code=x&state=wrong',
    '?state=right',
  ])
    assert.is((await get(listener.redirectUri + query)).status, 400, query)

  const reason = await listener.code.then(String, (error: Error) => error.message)
  assert.match(reason, 'not completed within ten minutes')
  listener.close()
})

test('a connection on which the browser sends nothing does not keep the command waiting', async () => {
  const listener = await listenForCode('state', 60_000)
  const { port } = new URL(listener.redirectUri)
  const socket = connect(Number(port), '127.0.0.1')
  await once(socket, 'connect')
  const page = await send(`${listener.redirectUri}?state=state&code=c`, {
    method: 'GET',
    headers: {},
    body: undefined,
  })

  assert.is(page.status, 200)
  assert.is(await listener.code, 'c')
  listener.close()
  await once(socket.resume(), 'close')
})

test.run()
