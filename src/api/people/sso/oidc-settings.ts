import type { z } from 'zod'
import { sendToProvider } from '../../../actions/sso/send-to-provider.ts'
import type { Context } from '../../../context.ts'
import { Fault, invalid } from '../../../errors.ts'
import { discover } from '../../../sso/oidc.ts'
import { Refused } from '../../../sso/reasons.ts'
import type { SsoProviderRow } from '../../../store/tables/rows.ts'
import type { OidcProviderPatch } from './schema.ts'

const defaultScopes = 'openid email profile'

type Body = z.output<typeof OidcProviderPatch>

type Settings = Pick<SsoProviderRow, 'scopes' | 'trusts_email' | 'email_from'>

const none: Settings = { scopes: defaultScopes, trusts_email: 0, email_from: null }

/**
 * Returns the columns of a body of a provider of OpenID Connect. Throws 'invalid' for a claim that
 * proves nothing.
 */
export const oidcColumns = (ctx: Context, body: Body, before: Settings = none) => ({
  ...(body.issuer !== undefined && { issuer: body.issuer }),
  ...(body.clientId !== undefined && { client_id: body.clientId }),
  ...(body.clientSecret !== undefined && {
    secret_sealed: ctx.keys.seal('client secret', body.clientSecret),
  }),
  scopes: body.scopes ?? before.scopes,
  ...addressColumns(body, before),
  active: 1,
})

/** Returns where addresses are read. Providers verify only those in the claim `email`. */
function addressColumns(body: Body, before: Settings) {
  const trusts_email =
    body.trustsEmail === undefined ? before.trusts_email : Number(body.trustsEmail)
  const email_from = body.emailClaim === undefined ? before.email_from : body.emailClaim
  if (email_from !== null && email_from !== 'email' && trusts_email === 0) {
    const field = body.emailClaim === undefined ? 'trustsEmail' : 'emailClaim'
    throw invalid(
      `"${field}" in the body: "emailClaim" needs "trustsEmail": true, because providers say only of the claim "email" whether they have verified it.`,
    )
  }

  return { trusts_email, email_from: email_from === 'email' ? null : email_from }
}

/** Throws 'invalid' unless a provider of OpenID Connect answers at an issuer. */
export async function checkIssuer(
  ctx: Context,
  organizationId: string,
  issuer: string,
): Promise<void> {
  const { protocol, username, password, search, hash } = new URL(issuer)
  const mayBePlain = ctx.config.allowPrivateRemotes && protocol === 'http:'
  if ((protocol !== 'https:' && !mayBePlain) || username || password || search || hash)
    throw invalid(
      '"issuer" in the body: takes an https URL without credentials, query and fragment.',
    )

  const asked = {
    issuer,
    clientId: '-',
    clientSecret: '-',
    scopes: '',
    trustsEmail: false,
    emailClaim: null,
    redirectURL: '',
    toleranceSeconds: 0,
  }

  const found = await discover(asked, sendToProvider(ctx, organizationId)).catch(error => {
    if (!(error instanceof Refused)) throw error
    throw new Fault(
      'address_unreachable',
      '"issuer" in the body: its /.well-known/openid-configuration cannot be read, or names another issuer.',
    )
  })
  // Everyone can open a tenant there, and would be believed.
  if (found.serverMetadata().issuer.includes('{'))
    throw invalid(
      '"issuer" in the body: it stands for the tenants of all customers. Send that of your own tenant.',
    )
}
