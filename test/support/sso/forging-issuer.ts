import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'

/** The client that this service is at an issuer. */
export const client = { clientId: 'docs', clientSecret: 'a-secret-of-the-client' }

export type Host = {
  url: string
  answer: (req: IncomingMessage, res: ServerResponse) => unknown
  stop: () => void
}

/** Opens a web server whose answers can be replaced. It does not keep the process alive. */
export async function openHost(): Promise<Host> {
  const server = createServer((req, res) => void host.answer(req, res))
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  server.unref()
  const host: Host = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    answer: (_, res) => res.writeHead(404).end(),
    stop: () => {
      server.close()
      server.closeAllConnections()
    },
  }

  return host
}

/** Answers with JSON. */
export const json = (res: ServerResponse, body: unknown): unknown =>
  res.setHeader('content-type', 'application/json').end(JSON.stringify(body))

export type Claims = Record<string, unknown>
export type Forging = {
  aud?: string
  iss?: string
  isForeignKey?: boolean
  /** Seconds until the token ends. */
  endsIn?: number
}

export type ForgingIssuer = Host & {
  /** Returns a signed ID token, by default a good one without a nonce. */
  signed: (claims: Claims, set?: Forging) => Promise<string>
  /** The ID token that the issuer returns for a nonce. */
  idToken: (nonce: string) => Promise<string>
  /** The nonce of the sign-in that the next token answers. */
  nonce: string
}

/** Opens an issuer everything in whose ID tokens can be changed. */
export async function openForgingIssuer(): Promise<ForgingIssuer> {
  const host = await openHost()
  const { url } = host
  const keys = await generateKeyPair('RS256', { extractable: true })
  const foreign = await generateKeyPair('RS256')
  const jwk = { ...(await exportJWK(keys.publicKey)), kid: 'k', alg: 'RS256', use: 'sig' }
  const settings = {
    issuer: url,
    authorization_endpoint: `${url}/auth`,
    token_endpoint: `${url}/token`,
    jwks_uri: `${url}/jwks`,
    id_token_signing_alg_values_supported: ['RS256'],
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
  }

  const signed: ForgingIssuer['signed'] = (claims, { aud, iss, isForeignKey, endsIn = 300 } = {}) =>
    new SignJWT({ email: 'kim@example.org', email_verified: true, ...claims })
      .setProtectedHeader({ alg: 'RS256', kid: 'k' })
      .setIssuer(iss ?? url)
      .setAudience(aud ?? client.clientId)
      .setSubject('kim')
      .setIssuedAt()
      .setExpirationTime(new Date(Date.now() + endsIn * 1000))
      .sign(isForeignKey ? foreign.privateKey : keys.privateKey)

  const issuer: ForgingIssuer = Object.assign(host, {
    signed,
    idToken: (nonce: string) => signed({ nonce }),
    nonce: '',
  })

  issuer.answer = async (req, res) => {
    if (req.url === '/.well-known/openid-configuration') return json(res, settings)
    if (req.url === '/jwks') return json(res, { keys: [jwk] })
    const token = await issuer.idToken(issuer.nonce)
    return json(res, { access_token: 'x', token_type: 'Bearer', expires_in: 60, id_token: token })
  }

  return issuer
}

/** ID tokens that prove nothing, each with its name. */
export const forgeries: [
  name: string,
  token: (issuer: ForgingIssuer, nonce: string) => Promise<string>,
][] = [
  ['wrong nonce', ({ signed }) => signed({ nonce: 'other' })],
  ['no nonce', ({ signed }) => signed({})],
  ['another client', ({ signed }, nonce) => signed({ nonce }, { aud: 'other' })],
  ['another issuer', ({ signed }, nonce) => signed({ nonce }, { iss: 'https://other.example' })],
  ['another key', ({ signed }, nonce) => signed({ nonce }, { isForeignKey: true })],
  ['alg none', async ({ signed }, nonce) => unsigned(await signed({ nonce }))],
  ['not verified', ({ signed }, nonce) => signed({ nonce, email_verified: false })],
  ['no address', ({ signed }, nonce) => signed({ nonce, email: undefined })],
  ['no token', async () => ''],
]

const unsigned = (token: string): string =>
  `${Buffer.from('{"alg":"none"}').toString('base64url')}.${token.split('.')[1]}.`
