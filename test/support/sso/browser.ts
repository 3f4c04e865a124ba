import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { inflateRawSync } from 'node:zlib'
import type { App } from '../app.ts'
import { send } from '../http/send.ts'
import { keyPair } from './certificates.ts'
import {
  base64,
  type ResponseParts,
  type Signed,
  type Signing,
  signedResponse,
} from './response.ts'

export const entityID = 'https://idp.example.org/metadata'
export const ssoURL = 'https://idp.example.org/sso'

/** A SAML provider as the API shows it. */
export type SamlProvider = {
  id: string
  service: { acsURL: string; startURL: string; entityID: string }
}

/** Creates an active SAML provider of "acme" whose signatures are those of the key pair "idp". */
export async function newSamlProvider(
  app: App,
  body: Record<string, unknown> = {},
): Promise<SamlProvider> {
  const { certificate } = keyPair('idp')
  const whole = { label: 'Okta', entityID, ssoURL, certificate, ...body }
  const made = await app.admin.post('/v1/orgs/acme/saml', whole)
  assert.equal(made.status, 201, made.text)
  return made.body
}

export type Page = { status: number; headers: Headers; text: string }

/**
 * A browser that keeps the cookie of a sign-in. Addresses with the public URL lead to the server of
 * a test.
 */
export class Browser {
  readonly #app: Pick<App, 'url'>
  cookie: string | undefined

  constructor(app: Pick<App, 'url'>) {
    this.#app = app
  }

  async #send(method: string, address: string, form?: URLSearchParams | string): Promise<Page> {
    const { host, pathname, search } = new URL(address)
    const page = await send(this.#app.url + pathname + search, {
      method,
      headers: {
        connection: 'close',
        host,
        ...(this.cookie && { cookie: this.cookie }),
        ...(form !== undefined && { 'content-type': 'application/x-www-form-urlencoded' }),
      },
      body: form?.toString(),
    })
    const set = page.headers.get('set-cookie')
    if (set !== null) this.cookie = set.split(';', 1)[0]

    return page
  }

  get(address: string): Promise<Page> {
    return this.#send('GET', address)
  }

  post(address: string, form: Record<string, string> | string): Promise<Page> {
    return this.#send('POST', address, typeof form === 'string' ? form : new URLSearchParams(form))
  }
}

/** Returns a new verifier of a code with its challenge. */
export function newVerifier(): { verifier: string; challenge: string } {
  const verifier = randomBytes(32).toString('base64url')
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') }
}

export type Started = { requestId: string; relayState: string; xml: string }

/** Starts a sign-in. Returns the SAML request that the browser is sent to the provider with. */
export async function start(
  browser: Browser,
  { service }: SamlProvider,
  query: Record<string, string> = {},
): Promise<Started> {
  const page = await browser.get(`${service.startURL}?${new URLSearchParams(query)}`)
  assert.equal(page.status, 302, page.text)
  const target = new URL(page.headers.get('location') as string)
  assert.equal(target.origin + target.pathname, ssoURL)
  const xml = inflateRawSync(
    Buffer.from(target.searchParams.get('SAMLRequest') ?? '', 'base64'),
  ).toString()
  const requestId = / ID="([^"]+)"/.exec(xml)?.[1] as string

  return { requestId, relayState: target.searchParams.get('RelayState') as string, xml }
}

/** Returns a response of the provider to a started sign-in, as the form field. */
export const answerTo = (
  { requestId }: Pick<Started, 'requestId'>,
  { service }: SamlProvider,
  parts: Partial<ResponseParts> = {},
  what: Signed = 'assertion',
  signing: Signing = {},
): string =>
  base64(
    signedResponse(
      { entityID, acsURL: service.acsURL, audience: service.entityID, requestId, ...parts },
      what,
      signing,
    ),
  )

/** Signs in from the start to the token. Returns the token's secret with the answer. */
export async function signInWith(
  app: App,
  provider: SamlProvider,
  parts: Partial<ResponseParts> = {},
  // biome-ignore lint/suspicious/noExplicitAny: answers of every shape
): Promise<any> {
  const browser = new Browser(app)
  const { verifier, challenge } = newVerifier()
  const redirect = {
    redirect_uri: 'http://127.0.0.1:8123/done',
    code_challenge: challenge,
    state: 'x',
  }
  const started = await start(browser, provider, redirect)
  const response = {
    SAMLResponse: answerTo(started, provider, parts),
    RelayState: started.relayState,
  }
  const page = await browser.post(provider.service.acsURL, response)

  assert.equal(page.status, 303, page.text)
  const target = new URL(page.headers.get('location') as string)

  assert.equal(target.searchParams.get('state'), 'x')
  const code = target.searchParams.get('code') as string
  const token = await app.anonymous.post('/v1/sso/token', { code, code_verifier: verifier })

  assert.equal(token.status, 201, token.text)

  return token.body
}
