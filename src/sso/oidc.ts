import type { Configuration, CustomFetch } from 'openid-client'
import { emailOf, nameOf, type ProvenIdentity } from './identity.ts'
import { mostSubject } from './limits.ts'
import { Refused } from './reasons.ts'

/**
 * Sends a request to a provider: within limits, and to public addresses alone unless the operator
 * allows others.
 */
export type SendToProvider = (
  url: URL,
  request: { headers: Record<string, string>; body?: Buffer | undefined },
) => Promise<{ status: number; headers: Record<string, string>; bytes: Buffer }>

/**
 * A provider of OpenID Connect as it is set up, and the address of this service that it returns to.
 */
export type OidcProvider = {
  issuer: string
  clientId: string
  clientSecret: string
  scopes: string
  trustsEmail: boolean
  /** The claim with the e-mail address; null: `email`. Only a provider with `trustsEmail` has it. */
  emailClaim: string | null
  redirectURL: string
  /** Seconds by which the clocks of provider and service may differ. */
  toleranceSeconds: number
}

/** The secrets of a sign-in under way. */
type OidcRequest = { state: string; nonce: string; verifier: string }

/** Statuses of responses that have no body. */
const empty = new Set([101, 204, 205, 304])

/** Loads openid-client at the first use, as most servers never need it. */
const load = () => import('openid-client')

/** Reads what the provider publishes about itself. Throws Refused with 'provider'. */
export async function discover(
  provider: OidcProvider,
  send: SendToProvider,
): Promise<Configuration> {
  const client = await load()
  const fetch: CustomFetch = async (address, { headers, body }) => {
    const sent = body === undefined || body === null ? undefined : Buffer.from(String(body))
    const got = await send(new URL(address), { headers, body: sent })
    return new Response(empty.has(got.status) ? null : new Uint8Array(got.bytes), {
      status: got.status,
      headers: got.headers,
    })
  }

  try {
    const issuer = new URL(provider.issuer)
    const metadata = {
      client_secret: provider.clientSecret,
      [client.clockTolerance]: provider.toleranceSeconds,
    }
    return await client.discovery(issuer, provider.clientId, metadata, undefined, {
      [client.customFetch]: fetch,
      // The caller's function refuses http, unless the operator allows private addresses.
      ...(issuer.protocol === 'http:' && { execute: [client.allowInsecureRequests] }),
    })
  } catch (error) {
    throw new Refused('provider', codeOf(error))
  }
}

/**
 * Returns the address at the provider that a browser is sent to. Throws Refused with 'provider'.
 */
export async function authorizationAddress(
  provider: OidcProvider,
  { state, nonce, verifier }: OidcRequest,
  send: SendToProvider,
): Promise<string> {
  const client = await load()
  const configuration = await discover(provider, send)
  const url = client.buildAuthorizationUrl(configuration, {
    redirect_uri: provider.redirectURL,
    scope: provider.scopes,
    code_challenge: await client.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    state,
    nonce,
  })
  const mayBePlain = new URL(provider.issuer).protocol === 'http:'
  if (url.protocol !== 'https:' && !(mayBePlain && url.protocol === 'http:'))
    throw new Refused('provider')

  return url.href
}

/**
 * Returns the identity that a provider confirms: exchanges the code in the query of `callback`, and
 * verifies the ID token. Throws Refused.
 */
export async function confirmIdentity(
  provider: OidcProvider,
  { state, nonce, verifier }: OidcRequest,
  callback: URL,
  send: SendToProvider,
): Promise<ProvenIdentity> {
  const client = await load()
  const configuration = await discover(provider, send)

  // Without it, the id token of the token endpoint would be believed because of TLS alone.
  client.enableNonRepudiationChecks(configuration)
  const claims = await client
    .authorizationCodeGrant(configuration, callback, {
      pkceCodeVerifier: verifier,
      expectedState: state,
      expectedNonce: nonce,
      idTokenExpected: true,
    })
    .then(
      tokens => tokens.claims(),
      error => {
        throw new Refused('state', codeOf(error))
      },
    )

  // Each new one is a row.
  if (claims === undefined || claims.sub.length > mostSubject) throw new Refused('state')

  const email = emailOf(textOf(claims[provider.emailClaim ?? 'email']))
  if (email === undefined) throw new Refused('address')
  // Some providers send the text "true".
  const isVerified = provider.emailClaim === null && String(claims.email_verified) === 'true'
  if (!isVerified && !provider.trustsEmail) throw new Refused('unverified')

  const displayName = nameOf(
    textOf(claims.name) || `${textOf(claims.given_name)} ${textOf(claims.family_name)}`,
  )

  return {
    subject: `${claims.iss} ${claims.sub}`,
    email,
    ...(displayName !== undefined && { displayName }),
  }
}

const textOf = (claim: unknown): string => (typeof claim === 'string' ? claim : '')

/** Returns the code of an error, which holds nothing that the provider wrote. */
function codeOf(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | undefined)?.code
  return typeof code === 'string' && /^\w{1,60}$/.test(code) ? code : undefined
}
