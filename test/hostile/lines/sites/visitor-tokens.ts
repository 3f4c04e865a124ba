import { generateKeyPairSync } from 'node:crypto'
import { type Line, line, must, type Seen, skipped } from '../../line.ts'
import type { Stage } from '../../stage.ts'
import { withCanary } from '../http/addresses.ts'
import {
  addSection,
  done,
  inSeconds,
  jwt,
  makeSite,
  messageOf,
  readingToken,
  resolve,
  type Site,
  withToken,
} from './tools.ts'

const header = { alg: 'HS256', typ: 'JWT' }

const keyOf = async (stage: Stage, { path }: Site): Promise<string> =>
  (await done(stage, `GET ${path}/publishing/auth`)).privateKey

async function closedSite(stage: Stage): Promise<{ site: Site; key: string }> {
  const site = await makeSite(stage, { visibility: 'visitor-auth' })
  return { site, key: await keyOf(stage, site) }
}

/** Resolves the site with tokens that must all be refused in the same words as no token. */
async function refused(stage: Stage, { base }: Site, tokens: string[]): Promise<Seen> {
  const nothing = messageOf(await resolve(stage, base))
  let last: Seen = { status: 'none', text: '' }
  const wrong: string[] = []

  for (const [at, jwtToken] of tokens.entries()) {
    last = await resolve(stage, base, { visitor: { jwtToken } })
    if (messageOf(last) !== nothing)
      wrong.push(`token ${at}: ${last.status} ${last.text.slice(0, 200)}`)
  }

  must(wrong.length === 0, wrong.join('\n'))

  return last
}

const algorithms = (stage: Stage) =>
  withCanary(async port => {
    const { site, key } = await closedSite(stage)
    const payload = { exp: inSeconds(600) }
    const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString()
    const unsigned = jwt({ alg: 'none' }, payload, key).replace(/[^.]+$/, '')
    const own = `http://127.0.0.1:${port}/`
    const good = jwt(header, payload, key)

    must(
      (await resolve(stage, site.base, { visitor: { jwtToken: good } })).status === 200,
      'no token works',
    )

    return refused(stage, site, [
      unsigned,
      `${unsigned}x`,
      jwt({ alg: 'none' }, payload, key),
      jwt({ alg: 'HS512' }, payload, key, 'sha512'),
      jwt({ alg: 'HS384' }, payload, key, 'sha384'),
      jwt({ alg: 'hs256' }, payload, key),
      jwt({ alg: 'RS256' }, payload, pem),
      jwt(header, payload, pem),
      jwt(
        { alg: 'RS256', jwk: publicKey.export({ format: 'jwk' }) },
        payload,
        privateKey.export({ type: 'pkcs1', format: 'pem' }),
      ),
      jwt({ ...header, kid: '../../../../dev/null' }, payload, ''),
      jwt({ ...header, kid: '/etc/passwd', jku: own, x5u: own }, payload, 'x'),
      jwt({ ...header, crit: ['unknown'], unknown: true }, payload, key),
      jwt({ ...header, crit: ['b64'], b64: false }, payload, key),
      jwt({ ...header, crit: [] }, payload, key),
      jwt(header, payload, Buffer.from(key, 'base64')),
      jwt(header, payload, ''),
      jwt(header, [payload], key),
      jwt(header, 'x', key),
      good.slice(0, -4),
      good.replace(/\.[^.]+\./, `.${Buffer.from('{"exp":9999999999}').toString('base64url')}.`),
    ])
  })

async function times(stage: Stage): Promise<Seen> {
  const { site, key } = await closedSite(stage)
  const token = (payload: object) => jwt(header, payload, key)
  for (const payload of [
    { exp: inSeconds(-2) },
    {
      exp: inSeconds(6 * 24 * 3600),
      iat: inSeconds(0),
      nbf: inSeconds(-1),
      iss: 'x',
      aud: ['y'],
      sub: 'z',
    },
  ]) {
    const seen = await resolve(stage, site.base, { visitor: { jwtToken: token(payload) } })
    must(seen.status === 200, `${JSON.stringify(payload)}: ${seen.status}`)
  }

  return refused(
    stage,
    site,
    [
      {},
      { exp: String(inSeconds(600)) },
      { exp: null },
      { exp: [inSeconds(600)] },
      { exp: inSeconds(8 * 24 * 3600) },
      { exp: inSeconds(-60) },
      { exp: inSeconds(600), nbf: inSeconds(60) },
      { exp: inSeconds(600), iat: inSeconds(60) },
      { exp: inSeconds(600), nbf: 'x' },
      { exp: -1 },
    ].map(token),
  )
}

async function otherKeys(stage: Stage): Promise<Seen> {
  const { site, key } = await closedSite(stage)
  const other = await closedSite(stage)
  const token = (secret: string) => jwt(header, { exp: inSeconds(600) }, secret)
  await refused(stage, site, [token(other.key)])
  const reading = await readingToken(stage, site.base, { jwtToken: token(key) })

  await done(stage, `POST ${site.path}/publishing/auth/regenerate`)
  must(
    (await withToken(stage, reading, `GET ${site.path}/structure`)).status === 401,
    'the reading token lives',
  )
  await refused(stage, site, [token(key)])
  const renewed = await keyOf(stage, site)
  const { basename } = await done(stage, `GET ${site.path}`)

  await done(stage, `DELETE ${site.path}`)
  const again = await closedSite(stage)

  await done(stage, `PATCH ${again.site.path}`, { basename })

  return refused(stage, { ...again.site, base: site.base }, [token(renewed), token(key)])
}

async function sizes(stage: Stage): Promise<Seen> {
  const { site, key } = await closedSite(stage)
  const token = (length: number) => jwt(header, { exp: inSeconds(600), x: 'x'.repeat(length) }, key)
  const query = `/v1/urls/published?url=${encodeURIComponent(site.base)}&visitorAuthToken=`
  const seen = await stage
    .call('GET', `${query}${token(2_000_000)}`, { as: 'nobody' })
    .catch(() => ({ status: 431 }))

  must(
    [413, 414, 431].includes(Number(seen.status)),
    `2 MB in a query were answered ${seen.status}`,
  )
  const long = await resolve(stage, site.base, { visitor: { jwtToken: token(2_000_000) } })

  must([400, 401, 413].includes(Number(long.status)), `2 MB in a body were answered ${long.status}`)
  const short = token(1)

  return refused(stage, site, [
    token(9_000),
    `${short}.a.b`,
    `a.b.${short}`,
    '',
    '.',
    '..',
    '...',
    ' ',
    short.slice(1),
  ])
}

const schema = {
  type: 'object',
  properties: {
    plan: { type: 'string', description: 'Plan' },
    unsigned: {
      type: 'object',
      description: 'Unsigned claims of the site visitor.',
      properties: {
        beta: { type: 'boolean', description: 'Beta' },
        name: { type: 'string', description: 'Name' },
      },
      additionalProperties: false,
    },
  },
  additionalProperties: false,
}

async function adaptiveSite(stage: Stage): Promise<{ site: Site; key: string }> {
  const site = await makeSite(stage, { adaptiveContent: { enabled: true } })
  await done(stage, `PUT ${site.path}/adaptive-schema`, { jsonSchema: schema })
  const section = await addSection(stage, site, 1, 'For testers')
  await done(stage, `PATCH ${site.path}/sections/${section}`, {
    condition: 'visitor.claims.unsigned.beta || visitor.claims.admin',
  })
  return { site, key: await keyOf(stage, site) }
}

const nested = (depth: number): unknown =>
  JSON.parse(`${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`)

const claimsIn = (token: string): unknown =>
  JSON.parse(Buffer.from(token.split('.')[1] as string, 'base64url').toString()).claims

/** Claims outside of the schema are dropped, whatever they are. */
async function signedClaims(stage: Stage): Promise<Seen> {
  const { site, key } = await adaptiveSite(stage)
  const exp = inSeconds(600)
  const payloads = [
    `{"exp":${exp},"plan":"pro","__proto__":{"admin":true},"constructor":{"prototype":{"admin":true}}}`,
    JSON.stringify({ exp, plan: 'pro', unsigned: { beta: true, admin: true }, admin: true }),
    JSON.stringify({
      exp,
      plan: 'pro',
      ...Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`k${n}`, n])),
    }),
    JSON.stringify({ exp, plan: 'pro', deep: nested(500) }),
  ]

  for (const payload of payloads) {
    const token = await readingToken(stage, site.base, { jwtToken: jwt(header, payload, key) })
    must(
      JSON.stringify(claimsIn(token)) === '{"plan":"pro","unsigned":{}}',
      `claims ${JSON.stringify(claimsIn(token))}`,
    )
    const { text } = await withToken(stage, token, `GET ${site.path}/structure`)
    must(!text.includes('testers'), 'the section is shown')
  }

  for (const plan of ['x'.repeat(1_001), 5, { a: 1 }, ['pro'], null]) {
    const token = await readingToken(stage, site.base, {
      jwtToken: jwt(header, { exp, plan }, key),
    })
    must(claimsIn(token) === undefined, `claims ${JSON.stringify(claimsIn(token))}`)
  }

  must(!('admin' in {}), 'a prototype was touched')

  return resolve(stage, site.base)
}

async function unsignedClaims(stage: Stage): Promise<Seen> {
  const { site } = await adaptiveSite(stage)
  const post = (text: string) =>
    stage.call('POST', '/v1/urls/published', {
      as: 'nobody',
      body: `{"url":${JSON.stringify(site.base)},"visitor":{"unsignedClaims":${text}}}`,
    })

  const texts = [
    '{"__proto__":{"beta":true},"constructor":1}',
    JSON.stringify({ a: nested(1_000) }),
    JSON.stringify({ beta: 'true', name: 5 }),
    JSON.stringify({ name: 'x'.repeat(100_000) }),
    JSON.stringify({ plan: 'pro', admin: true }),
    '{}',
  ]
  let last: Seen = { status: 'none', text: '' }

  for (const text of texts) {
    last = await post(text)
    // Bodies with such keys and depths are refused as a whole.
    if (last.status === 400 && /__proto__|(?:"a":\{){64}/.test(text)) continue
    must(last.status === 200, `${text.slice(0, 100)}: ${last.status} ${last.text.slice(0, 200)}`)
    const claims = claimsIn(JSON.parse(last.text).apiToken)
    must(claims === undefined, `${text.slice(0, 100)} has the claims ${JSON.stringify(claims)}`)
  }

  for (const text of ['[]', '"x"', '5', 'true']) {
    const { status } = await post(text)
    must(status === 200 || status === 400, `${text}: ${status}`)
  }

  return last
}

/** Tokens of visitors, and their claims. */
export const visitorTokenLines: Line[] = [
  line(
    'V1',
    'visitor tokens with other algorithms, keys and critical headers',
    401,
    'as without a token; nothing is fetched',
    algorithms,
  ),
  line(
    'V2',
    'visitor tokens that expire never, too late, or in the past',
    401,
    'as without a token',
    times,
  ),
  line(
    'V3',
    'visitor tokens of another site and of a former key',
    401,
    'as without a token',
    otherKeys,
  ),
  line(
    'V4',
    'visitor tokens of 9 KB, of 2 MB, empty, and with five segments',
    401,
    'as without a token',
    sizes,
  ),
  line('V5', 'signed claims that the schema does not name', 200, 'are dropped', signedClaims),
  line(
    'V6',
    'unsigned claims: deep, large, and of other types',
    200,
    'are dropped',
    unsignedClaims,
  ),
  skipped(
    'V6',
    'claims in the query and cookies of a page',
    'the server does not serve pages of sites',
  ),
  skipped('V7', 'the cookie of another site', 'no cookie is set or read'),
  skipped(
    'V8',
    'a visitor token in the address of a page',
    'the server does not serve pages of sites',
  ),
]
