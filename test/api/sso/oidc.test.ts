import Provider from 'oidc-provider'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { query } from '../../../src/store/store.ts'
import { actor, startApp } from '../../support/app.ts'
import { Browser, newVerifier } from '../../support/sso/browser.ts'
import {
  type Claims,
  client,
  type Forging,
  forgeries,
  json,
  openForgingIssuer,
  openHost,
} from '../../support/sso/forging-issuer.ts'

const app = await startApp({ STEMMA_ALLOW_PRIVATE_REMOTES: 'true' })
const { admin } = app
const path = '/v1/orgs/acme/oidc'

const real = await openHost()
const hostile = await openForgingIssuer()
test.after(async () => {
  real.stop()
  hostile.stop()
  await app.stop()
})

const newProvider = async (issuer: string, body: object = {}) => {
  const made = await admin.post(path, {
    label: 'OIDC',
    issuer,
    ...client,
    defaultRole: 'edit',
    ...body,
  })

  assert.is(made.status, 201, made.text)
  return made.body
}

test('a provider is shown without its secret, and signs members in', async () => {
  const made = await newProvider(hostile.url)
  assert.not(JSON.stringify(made).includes(client.clientSecret))
  assert.equal([made.status, made.scopes], ['active', 'openid email profile'])
  const changed = await admin.patch(`${path}/${made.id}`, { label: 'Renamed', trustsEmail: true })

  assert.equal([changed.body.label, changed.body.trustsEmail], ['Renamed', true])
  const { items } = (await app.anonymous.get('/v1/orgs/acme/sso')).body

  assert.equal(items, [
    { id: made.id, label: 'Renamed', startURL: `${app.url}/sso/oidc/${made.id}` },
  ])
  const elsewhere = await admin.patch(`${path}/${made.id}`, { issuer: `${hostile.url}/other` })

  assert.match(elsewhere.text, /clientSecret/)
  assert.is((await admin.get(path)).body.count, 1)
  assert.is((await admin.get(`/v1/orgs/acme/saml/${made.id}`)).status, 404)
  assert.is((await admin.delete(`${path}/${made.id}`)).status, 204)
})

test('the secret of a client does not come to another issuer while that is looked at', async () => {
  const [first, second] = [hostile, await openForgingIssuer()]
  const made = await newProvider(first.url)
  const { answer } = first
  const meanwhile: Promise<void> = new Promise(resolve => {
    first.answer = async (req, res) => {
      const secret = { issuer: second.url, clientSecret: 'of the second' }
      assert.is((await admin.patch(`${path}/${made.id}`, secret)).status, 200)
      await answer(req, res)
      resolve()
    }
  })
  const back = await admin.patch(`${path}/${made.id}`, { issuer: first.url })
  await meanwhile
  first.answer = answer
  second.stop()
  assert.is(back.status, 400)
  assert.match(back.text, /clientSecret/)
  assert.is((await admin.get(`${path}/${made.id}`)).body.issuer, second.url)
  assert.is((await admin.delete(`${path}/${made.id}`)).status, 204)
})

test('an issuer that does not answer as one is refused', async () => {
  const before = hostile.answer
  const refused = async (issuer: string) =>
    assert.is((await admin.post(path, { label: 'X', issuer, ...client })).status, 400, issuer)
  await refused(`${real.url}/none`)
  await refused('ftp://example.org/')
  await refused('http://user@127.0.0.1/')
  hostile.answer = (_, res) => json(res, { issuer: 'https://other.example/' })
  await refused(hostile.url)
  hostile.answer = (_, res) => res.writeHead(302, { location: 'http://127.0.0.1:1/' }).end()
  await refused(hostile.url)
  hostile.answer = (_, res) => json(res, { issuer: hostile.url, more: 'x'.repeat(1_000_000) })
  await refused(hostile.url)
  hostile.answer = before
})

/** Starts a sign-in at a provider, and returns the browser with the query of its request. */
async function begin(
  provider: { service: { startURL: string } },
  query: Record<string, string> = {},
) {
  const browser = new Browser(app)
  const page = await browser.get(`${provider.service.startURL}?${new URLSearchParams(query)}`)
  assert.is(page.status, 302, page.text)
  const target = new URL(page.headers.get('location') as string)
  hostile.nonce = target.searchParams.get('nonce') as string
  return { browser, target, state: target.searchParams.get('state') as string }
}

test('an ID token must be signed by the provider, for this client and sign-in, with a verified address', async () => {
  const provider = await newProvider(hostile.url)
  for (const [name, forge] of forgeries) {
    hostile.idToken = nonce => forge(hostile, nonce)
    const { browser, state } = await begin(provider)
    const page = await browser.get(`${provider.service.redirectURL}?code=c&state=${state}`)
    assert.is(page.status, 403, `${name}: ${page.text}`)
  }

  hostile.idToken = nonce => hostile.signed({ nonce })
  const { browser, state } = await begin(provider)
  const callback = (search: string) => browser.get(`${provider.service.redirectURL}?${search}`)

  assert.is((await callback('code=c&state=other')).status, 400)
  assert.is((await callback('code=c')).status, 400)
  assert.is((await callback(`code=c&state=${state}&state=${state}`)).status, 400)
  assert.is((await callback(`code=c&state=${state}&iss=https://other.example`)).status, 403)
  assert.is((await callback(`error=access_denied&state=${state}`)).status, 403)
  assert.is((await callback(`code=c&state=${state}`)).status, 200)
  assert.is((await callback(`code=c&state=${state}`)).status, 400)
  await admin.delete(`${path}/${provider.id}`)
})

test('a person signs in with the claims that providers send', async () => {
  const entra = {
    email: undefined,
    email_verified: undefined,
    preferred_username: 'Kim@example.org',
  }
  const named = { emailClaim: 'preferred_username', trustsEmail: true }
  const cases: [name: string, settings: object, claims: Claims, set: Forging, status: number][] = [
    ['the text "true"', {}, { email_verified: 'true' }, {}, 200],
    ['the text "false"', {}, { email_verified: 'false' }, {}, 403],
    ['Entra ID, with a claim set', named, entra, {}, 200],
    ['Entra ID, without', { trustsEmail: true }, entra, {}, 403],
    ['a claim that is no address', named, { preferred_username: 'kim' }, {}, 403],
    ['a claim of another type', named, { preferred_username: ['kim@example.org'] }, {}, 403],
    ['a clock that is ahead', {}, {}, { endsIn: -110 }, 200],
    ['a token that has ended', {}, {}, { endsIn: -130 }, 403],
  ]

  for (const [name, settings, claims, set, status] of cases) {
    const provider = await newProvider(hostile.url, settings)
    hostile.idToken = nonce => hostile.signed({ nonce, sub: name, ...claims }, set)
    const { browser, state } = await begin(provider)
    const page = await browser.get(`${provider.service.redirectURL}?code=c&state=${state}`)
    assert.is(page.status, status, `${name}: ${page.text}`)
    await admin.delete(`${path}/${provider.id}`)
  }
})

test('a claim that providers do not verify needs a provider that is trusted', async () => {
  const body = { label: 'Entra', issuer: hostile.url, ...client, emailClaim: 'upn' }
  const refused = await admin.post(path, body)
  assert.is(refused.status, 400)
  assert.match(refused.text, /trustsEmail/)
  const made = await newProvider(hostile.url, { emailClaim: 'upn', trustsEmail: true })

  assert.is(made.emailClaim, 'upn')
  assert.is((await admin.patch(`${path}/${made.id}`, { trustsEmail: false })).status, 400)
  assert.is((await admin.patch(`${path}/${made.id}`, { label: 'X' })).body.emailClaim, 'upn')
  const back = await admin.patch(`${path}/${made.id}`, { emailClaim: null, trustsEmail: false })

  assert.equal([back.body.emailClaim, back.body.trustsEmail], [null, false])
  await admin.delete(`${path}/${made.id}`)
})

/** Follows redirects and forms at an independent provider, until it sends the browser back. */
async function signInAt(address: string, back: string): Promise<string> {
  const cookies = new Map<string, string>()
  let [url, method, body] = [address, 'GET', undefined as string | undefined]
  for (let hops = 0; hops < 12; hops++) {
    const answer = await fetch(url, {
      method,
      redirect: 'manual',
      headers: {
        cookie: [...cookies].map(pair => pair.join('=')).join('; '),
        ...(body !== undefined && { 'content-type': 'application/x-www-form-urlencoded' }),
      },
      ...(body !== undefined && { body }),
    })

    for (const set of answer.headers.getSetCookie()) {
      const [name = '', value = ''] = (set.split(';', 1)[0] as string).split(/=(.*)/s)
      cookies.set(name, value)
    }

    const location = answer.headers.get('location')

    if (location !== null) {
      const next = new URL(location, url).href
      if (next.startsWith(back)) return next
      ;[url, method, body] = [next, 'GET', undefined]
      continue
    }

    const page = await answer.text()
    const action = /<form[^>]*action="([^"]+)"/.exec(page)?.[1]
    if (action === undefined) throw new Error(`${answer.status} ${page.slice(0, 500)}`)

    const prompt = /name="prompt" value="(\w+)"/.exec(page)?.[1] as string
    ;[url, method] = [new URL(action, url).href, 'POST']
    body = String(new URLSearchParams({ prompt, login: 'lee', password: 'x' }))
  }

  throw new Error('the provider did not send the browser back')
}

test('a whole sign-in works with an independent provider', async () => {
  const made = await (async () => {
    real.answer = (_, res) =>
      json(res, {
        issuer: real.url,
        authorization_endpoint: `${real.url}/auth`,
        token_endpoint: `${real.url}/token`,
        jwks_uri: `${real.url}/jwks`,
      })
    return newProvider(real.url)
  })()

  const server = new Provider(real.url, {
    clients: [
      {
        client_id: client.clientId,
        client_secret: client.clientSecret,
        redirect_uris: [made.service.redirectURL],
        token_endpoint_auth_method: 'client_secret_post',
      },
    ],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    conformIdTokenClaims: false,
    findAccount: (_: unknown, id: string) => ({
      accountId: id,
      claims: () => ({
        sub: id,
        email: `${id}@example.org`,
        email_verified: true,
        name: 'Lee Long',
      }),
    }),
    cookies: { keys: ['key'] },
  })

  real.answer = server.callback()
  const { verifier, challenge } = newVerifier()
  const { browser, target } = await begin(made, {
    redirect_uri: 'http://127.0.0.1:8123/',
    code_challenge: challenge,
  })
  const back = await signInAt(target.href, made.service.redirectURL)
  const page = await browser.get(back)

  assert.is(page.status, 303, page.text)
  const code = new URL(page.headers.get('location') as string).searchParams.get('code')
  const { token, user } = (
    await app.anonymous.post('/v1/sso/token', { code, code_verifier: verifier })
  ).body

  assert.is(user.displayName, 'Lee Long')
  assert.is((await actor(app.url, user.id, token).get('/v1/orgs/acme')).status, 200)
  const [identity] = app.ctx.store.all(
    query.selectFrom('sso_identity').select('subject').where('provider_id', '=', made.id),
  )

  assert.is(identity?.subject, `${real.url} lee`)
})

test('a server that may not reach private addresses refuses such an issuer', async () => {
  const closed = await startApp()
  const reply = await closed.admin.post(path, {
    label: 'X',
    issuer: 'https://127.0.0.1:1',
    ...client,
  })

  assert.is(reply.status, 400)
  const plain = await closed.admin.post(path, { label: 'X', issuer: hostile.url, ...client })

  assert.is(plain.status, 400)
  await closed.stop()
})

test.run()
