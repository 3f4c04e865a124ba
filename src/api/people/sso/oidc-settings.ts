import type { z } from 'zod'
import { sendToProvider } from '../../../actions/sso/send-to-provider.ts'
import type { Context } from '../../../context.ts'
import { invalid } from '../../../errors.ts'
import { discover } from '../../../sso/oidc.ts'
import { Refused } from '../../../sso/reasons.ts'
import type { OidcProviderPatch } from './schema.ts'

const defaultScopes = 'openid email profile'

type Body = z.output<typeof OidcProviderPatch>

/** Returns the columns of a body of a provider of OpenID Connect. */
export const oidcColumns = (ctx: Context, body: Body, scopes?: string) => ({
  ...(body.issuer !== undefined && { issuer: body.issuer }),
  ...(body.clientId !== undefined && { client_id: body.clientId }),
  ...(body.clientSecret !== undefined && {
    secret_sealed: ctx.keys.seal('client secret', body.clientSecret),
  }),
  scopes: body.scopes ?? scopes ?? defaultScopes,
  ...(body.trustsEmail !== undefined && { trusts_email: Number(body.trustsEmail) }),
  active: 1,
})

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
    redirectURL: '',
  }

  try {
    await discover(asked, sendToProvider(ctx, organizationId))
  } catch (error) {
    if (!(error instanceof Refused)) throw error
    throw invalid(
      '"issuer" in the body: its /.well-known/openid-configuration cannot be read, or names another issuer.',
    )
  }
}
