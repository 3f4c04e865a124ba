import { answerTo, entityID, newVerifier, ssoURL } from '../../../support/sso/browser.ts'
import { keyPair } from '../../../support/sso/certificates.ts'
import { type Line, line, must, type Seen } from '../../line.ts'
import type { Stage } from '../../stage.ts'
import { done } from '../sites/tools.ts'
import {
  atSignIn,
  begin,
  Client,
  codeOf,
  deliver,
  exchange,
  inDatabase,
  newProvider,
  publicStage,
  samlProvider,
  signedIn,
  signInStage,
  signsNobodyIn,
  withSecret,
} from './tools.ts'

/**
 * Signs in to "acme" as an admin of "globex", who reaches "globex" neither with that token nor with
 * one made with it.
 */
async function beyondOrganization(stage: Stage): Promise<Seen> {
  const { token, id } = await signedIn(stage, 'both@example.org')
  inDatabase(
    stage,
    `insert into member (organization_id, user_id, role, joined_at)
     values ('globex', '${id}', 'admin', '2026-01-01T00:00:00.000Z') on conflict do nothing`,
  )
  const { items } = JSON.parse((await withSecret(stage, token, 'GET /v1/orgs')).text)
  must(items.length === 1 && items[0].id === 'acme', `lists ${JSON.stringify(items)}`)
  const unknown = await withSecret(stage, token, 'GET /v1/orgs/nowhere')
  const known = await withSecret(stage, token, 'GET /v1/orgs/globex')

  must(known.status === unknown.status, `the organization was answered ${known.status}`)
  const other = { name: 'child', organization: 'globex' }
  const wider = await withSecret(stage, token, 'POST /v1/user/tokens', other)

  must(Number(wider.status) >= 400, 'a token of another organization was made')
  const child = await withSecret(stage, token, 'POST /v1/user/tokens', { name: 'child' })

  must(child.status === 201, `no child was made: ${child.status}`)

  return withSecret(stage, JSON.parse(child.text).token, 'GET /v1/orgs/globex')
}

const returns: [redirect: string, query?: Record<string, string>][] = [
  ['https://evil.example/'],
  ['http://127.0.0.1.evil.example/'],
  ['http://localhost:1/'],
  ['http://user@127.0.0.1:1/'],
  ['http://127.0.0.1:1@evil.example/'],
  ['javascript:alert(1)'],
  ['//127.0.0.1/'],
  ['http://127.0.0.1:1/', {}],
]

/** Starts a sign-in that returns to an address; nothing is sent to the provider. */
const returning =
  (redirect_uri: string, query: Record<string, string>) =>
  async (stage: Stage): Promise<Seen> => {
    const { service } = await samlProvider(stage)
    const seen = await new Client(stage).get(service.startURL, { redirect_uri, ...query })
    must(seen.headers?.location === undefined, `leads to ${seen.headers?.location}`)
    return seen
  }

/** A code with the browser of its sign-in, and the verifier that it needs. */
async function newCode(stage: Stage): Promise<{ client: Client; code: string; verifier: string }> {
  const { verifier, challenge } = newVerifier()
  const begun = await begin(stage, { code_challenge: challenge })
  const page = await deliver(begun, answerTo(begun, begun.provider, { email: 'codes@example.org' }))
  return { client: begun.client, code: codeOf(page), verifier }
}

async function codeTwice(stage: Stage): Promise<Seen> {
  const { client, code, verifier } = await newCode(stage)
  const first = await exchange(client, code, verifier)
  must(first.status === 201, `the first use was answered ${first.status}`)
  const second = await exchange(client, code, verifier)
  must(second.status === 400, `the second use was answered ${second.status}`)
  return withSecret(stage, JSON.parse(first.text).token, 'GET /v1/user')
}

async function codeTooLate(stage: Stage): Promise<Seen> {
  const { client, code, verifier } = await newCode(stage)
  inDatabase(
    stage,
    `update sso_code set expires_at = '2026-01-01T00:00:00.000Z' where token_id is null`,
  )
  return exchange(client, code, verifier)
}

const codeWith =
  (verifier: (right: string, others: string) => string | undefined) => async (stage: Stage) => {
    const { client, code, verifier: right } = await newCode(stage)
    const others = (await newCode(stage)).verifier
    const count = () => inDatabase<{ n: number }>(stage, 'select count(*) as n from token')[0]?.n
    const before = count()
    const seen = await exchange(client, code, verifier(right, others))
    must(count() === before, 'a token was made')
    return seen
  }

/** Sends a provider that has to be refused; nothing of it is stored. */
const badProvider = (
  input: string,
  id: string,
  body: () => object,
  effect: RegExp,
  at = signInStage,
) =>
  line(id, input, 400, effect, async () => {
    const stage = await at()
    const stored = () => JSON.stringify(inDatabase(stage, 'select * from sso_provider'))
    const before = stored()
    const whole = {
      label: 'Bad',
      entityID,
      ssoURL,
      certificate: keyPair('idp').certificate,
      ...body(),
    }
    const seen = await stage.call('POST', '/v1/orgs/acme/saml', { body: whole })

    must(stored() === before, 'the provider was stored')
    must(!stage.log().includes('PRIVATE KEY'), 'the log has a private key')

    return seen
  })

const certificates: [input: string, certificate: () => string, effect: RegExp][] = [
  ['a private key', () => keyPair('idp').key, /private key/],
  ['an EC key', () => keyPair('ec', { kind: 'ec' }).certificate, /RSA/],
  ['an RSA key of 1,024 bits', () => keyPair('small', { kind: 'rsa:1024' }).certificate, /2048/],
  ['garbage', () => 'garbage', /X\.509/],
  ['10,001 characters', () => 'a'.repeat(10_001), /certificate/],
]

/** Creates a provider whose certificate, of another time, has expired. */
async function expired(stage: Stage): Promise<Seen> {
  const times = ['190101000000Z', '200101000000Z']
  const der = Buffer.from(keyPair('idp').certificate.replace(/-----[A-Z ]+-----|\s/g, ''), 'base64')
  const past = der
    .toString('latin1')
    .replace(/(?<=\x17\x0d)\d{12}Z/g, () => times.shift() as string)
  const certificate = Buffer.from(past, 'latin1').toString('base64')
  const seen = await stage.call('POST', '/v1/orgs/acme/saml', {
    body: { label: 'Old', entityID, ssoURL, certificate },
  })
  if (seen.status === 201)
    await done(stage, `DELETE /v1/orgs/acme/saml/${JSON.parse(seen.text).id}`)

  return seen
}

/** Starts sign-ins from one address without an end; few requests are stored. */
async function flood(stage: Stage): Promise<Seen> {
  const { service } = await samlProvider(stage)
  const client = new Client(stage)
  const open = () =>
    inDatabase<{ n: number }>(stage, 'select count(*) as n from sso_request')[0]?.n ?? 0
  const before = open()
  let seen: Seen = { status: 'none', text: '' }

  for (let sent = 0; sent < 10_000; sent += 50)
    for (const each of await Promise.all(
      Array.from({ length: 50 }, () => client.get(service.startURL)),
    ))
      seen = each

  must(open() - before <= 300, `${open() - before} requests were stored`)
  must(Number(seen.headers?.['retry-after']) > 0, 'no Retry-After')

  return seen
}

type End = (stage: Stage, provider: string, user: string) => Promise<unknown>

const ends: [input: string, end: End][] = [
  ['a provider that was deleted', (stage, id) => done(stage, `DELETE /v1/orgs/acme/saml/${id}`)],
  [
    'a provider that became pending',
    (stage, id) => done(stage, `PATCH /v1/orgs/acme/saml/${id}`, { entityID: '' }),
  ],
  [
    'a member who was disabled',
    async (stage, _, user) =>
      inDatabase(stage, `update member set disabled = 1 where user_id = '${user}'`),
  ],
  [
    'a member who was removed',
    (stage, _, user) => done(stage, `DELETE /v1/orgs/acme/members/${user}`),
  ],
]

/** Uses the tokens of a sign-in, and one made with it, after something has ended them. */
const ended =
  (end: End) =>
  async (stage: Stage): Promise<Seen> => {
    const provider = await newProvider(stage, 'Short')
    const { token, id } = await signedIn(stage, `short${provider.id}@example.org`, provider)
    const { token: child } = JSON.parse(
      (await withSecret(stage, token, 'POST /v1/user/tokens', { name: 'child' })).text,
    )

    for (const secret of [token, child]) {
      const { status } = await withSecret(stage, secret, 'GET /v1/orgs/acme')
      must(status === 200, `a live token was answered ${status}`)
    }

    await end(stage, provider.id, id)
    const last = await withSecret(stage, child, 'GET /v1/orgs/acme')

    must(last.status === 401, `the child was answered ${last.status}`)
    const seen = await withSecret(stage, token, 'GET /v1/user')

    await done(stage, `DELETE /v1/orgs/acme/saml/${provider.id}`)

    return seen
  }

/**
 * Looks up guessed organizations from one address: none of the answers says anything, and their
 * number is limited.
 */
async function guesses(stage: Stage): Promise<Seen> {
  const client = new Client(stage)
  // The allowance of 100 a minute grows again while they are sent.
  for (let n = 0; n < 200; n++) {
    const seen = await client.get(`/v1/orgs/guess-${n}/sso`)
    if (seen.status === 429) {
      const known = await client.get('/v1/orgs/acme/sso')
      if (known.status === 429) return known
      continue
    }

    must(seen.status === 200 && seen.text === '{"items":[]}', `${seen.status} ${seen.text}`)
  }
  throw new Error('200 guesses were answered')
}

export const accountLines: Line[] = [
  line(
    'SS11',
    'a token of a sign-in in another organization',
    404,
    'tokens made with it have the same limit',
    atSignIn(beyondOrganization),
  ),
  ...returns.map(([redirect, query = { code_challenge: newVerifier().challenge }]) =>
    line(
      'SS13',
      `a sign-in that returns to ${redirect}${'code_challenge' in query ? '' : ' without a challenge'}`,
      400,
      'nothing is sent to the provider',
      signsNobodyIn(returning(redirect, query)),
    ),
  ),
  line('SS14', 'a code twice', 401, 'the token of the first use is dead', atSignIn(codeTwice)),
  line('SS14', 'a code after its minute', 400, /expired/, atSignIn(codeTooLate)),
  line(
    'SS14',
    'a code with a wrong verifier',
    400,
    /code_verifier/,
    atSignIn(codeWith(() => 'x'.repeat(43))),
  ),
  line(
    'SS14',
    'a code without a verifier',
    400,
    /code_verifier/,
    atSignIn(codeWith(() => undefined)),
  ),
  line(
    'SS14',
    'a code with the verifier of another client',
    400,
    /code_verifier/,
    atSignIn(codeWith((_, others) => others)),
  ),
  ...certificates.map(([input, certificate, effect]) =>
    badProvider(
      `a certificate that is ${input}`,
      'SS15',
      () => ({ certificate: certificate() }),
      effect,
    ),
  ),
  line('SS15', 'an expired certificate', 201, /"status":"active"/, atSignIn(expired)),
  ...['http://idp.example.org/', 'javascript:alert(1)', 'https://docs.example.org/sso'].map(url =>
    badProvider(
      `the address ${url} of a provider`,
      'SS16',
      () => ({ ssoURL: url }),
      /ssoURL/,
      publicStage,
    ),
  ),
  line(
    'SS17',
    '10,000 sign-ins from one address',
    429,
    'few requests are stored',
    atSignIn(flood),
    {
      slow: true,
    },
  ),
  ...ends.map(([input, end]) =>
    line('SS18', `tokens of ${input}`, 401, 'they are dead at once', atSignIn(ended(end))),
  ),
  line('SI8', 'guessed organizations from one address', 429, 'none is found', atSignIn(guesses)),
]
