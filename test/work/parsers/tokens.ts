import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { type JWTPayload, SignJWT } from 'jose'
import { readVisitorToken } from '../../../src/actions/sites/visitor-token.ts'
import { confirmIdentity, type SendToProvider } from '../../../src/sso/oidc.ts'
import { Refused } from '../../../src/sso/reasons.ts'
import type { SiteRow } from '../../../src/store/tables/rows.ts'
import type { App } from '../../support/app.ts'
import { publishedSite } from '../../support/sites.ts'
import { type Parser, times } from './parser.ts'

const encoded = (value: unknown): string =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url')

/** Returns an object with so many names. */
const objectOf = (count: number): Record<string, string> =>
  Object.fromEntries(
    Array.from({ length: Math.max(1, Math.floor(count)) }, (_, at) => [`n${at}`, 'v']),
  )

/** Returns a token in the form of a JWT, whose signature is that of another key. */
const forged = (header: unknown, payload: unknown): string =>
  `${encoded(header)}.${encoded(payload)}.${'A'.repeat(43)}`
const hs256 = { alg: 'HS256', typ: 'JWT' }

let site: Promise<SiteRow> | undefined

export const visitorTokenParser: Parser = {
  name: 'JWT of visitors',
  most: 8_192,
  mostMs: 100,
  forms: {
    claims: bytes => forged(hs256, objectOf((bytes * 0.75 - 100) / 12)),
    'names in the header': bytes =>
      forged({ ...hs256, ...objectOf((bytes * 0.75 - 100) / 12) }, {}),
    levels: bytes => forged(hs256, times('[', bytes / 3) + times(']', bytes / 3)),
    'critical names': bytes => forged({ ...hs256, crit: Object.keys(objectOf(bytes / 14)) }, {}),
    dots: bytes => times('.', bytes),
    'a long signature': bytes => `${forged(hs256, {})}${times('A', bytes - 100)}`,
  },
  parse: async (token: string, app: App) => {
    site ??= publishedSite(app, [])
    const read = await readVisitorToken(app.ctx, await site, token)
    if (!('refused' in read)) throw new Error('a forged token was accepted')
  },
}

const issuer = 'https://idp.example.org'
const oidc = {
  issuer,
  clientId: 'docs',
  clientSecret: 'secret',
  scopes: 'openid',
  trustsEmail: true,
  emailClaim: null,
  redirectURL: 'https://docs.example.org/callback',
  toleranceSeconds: 0,
}
const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const key = { ...publicKey.export({ format: 'jwk' }), use: 'sig', alg: 'RS256' }

type Answers = {
  discovery?: object
  keys?: object[]
  claims?: object
  extra?: object
  by?: KeyObject
}

/**
 * Returns what a hostile provider answers: an ID token that one of its keys signed, or another key.
 */
async function answers({ discovery, keys = [{ ...key, kid: 'k' }], claims, extra, by }: Answers) {
  const token = new SignJWT({ email: 'a@example.org', nonce: 'n', ...claims } as JWTPayload)
    .setProtectedHeader({ alg: 'RS256', kid: 'k' })
    .setIssuer(issuer)
    .setAudience('docs')
    .setSubject('s')
    .setIssuedAt()
    .setExpirationTime('5m')
  const id_token = await token.sign(by ?? privateKey)
  const documents: Record<string, unknown> = {
    '/.well-known/openid-configuration': {
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      jwks_uri: `${issuer}/keys`,
      ...discovery,
    },
    '/keys': { keys },
    '/token': { access_token: 'a', token_type: 'Bearer', id_token, ...extra },
  }

  return Object.fromEntries(
    Object.entries(documents).map(([path, value]) => [path, JSON.stringify(value)]),
  )
}

const stranger = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey

export const providerParser: Parser = {
  name: 'documents of OpenID Connect providers',
  most: 500_000,
  forms: {
    'keys of another id': bytes =>
      answers({
        keys: Array.from({ length: bytes / 450 }, (_, at) => ({ ...key, kid: `k${at}` })),
        by: stranger,
      }),
    'keys of the same id': bytes =>
      answers({
        keys: Array.from({ length: bytes / 450 }, () => ({ ...key, kid: 'k' })),
        by: stranger,
      }),
    'keys of no kind': bytes =>
      answers({ keys: Array.from({ length: bytes / 10 }, () => ({})), by: stranger }),
    'names in the discovery': bytes => answers({ discovery: objectOf(bytes / 14) }),
    'a key of many bits': bytes =>
      answers({ keys: [{ ...key, kid: 'k', n: times('AQAB', bytes) }] }),
    'an exponent of many bits': () => answers({ keys: [{ ...key, kid: 'k', e: key.n }] }),
    claims: bytes => answers({ claims: objectOf(bytes / 20), by: stranger }),
    'names beside the token': bytes => answers({ extra: objectOf(bytes / 14), by: stranger }),
    'a name of marks that combine': bytes =>
      answers({ claims: { name: times('\u0301\u0323', bytes * 0.7) } }),
    'a long name': bytes => answers({ claims: { name: times('a\u200b<', bytes * 0.7) } }),
  },
  parse: async (given: ReturnType<typeof answers>) => {
    const documents = await given
    const send: SendToProvider = async url => ({
      status: 200,
      headers: { 'content-type': 'application/json' },
      bytes: Buffer.from(documents[url.pathname] ?? ''),
    })
    const callback = new URL(`${oidc.redirectURL}?code=c&state=s`)

    try {
      await confirmIdentity(
        oidc,
        { state: 's', nonce: 'n', verifier: 'v'.repeat(43) },
        callback,
        send,
      )
    } catch (error) {
      if (!(error instanceof Refused)) throw error
    }
  },
}
