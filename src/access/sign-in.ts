import type { Context } from '../context.ts'
import { isSignedIn } from '../store/sso/signed-in.ts'
import type { SsoProviderRow, TokenRow } from '../store/tables/rows.ts'

/**
 * Returns whether a sign-in through an identity provider still counts: the provider is active, and
 * the user is a member of its organization who is not disabled. True for what did not come through
 * a provider.
 */
export function isStillSignedIn(
  { store }: Pick<Context, 'store'>,
  {
    provider_id: providerId,
    organization_id: organizationId,
    user_id: userId,
  }: Pick<TokenRow, 'provider_id' | 'organization_id' | 'user_id'>,
): boolean {
  if (providerId === null) return true
  if (organizationId === null) return false
  return store.remember(
    `signed in ${providerId} ${userId}`,
    () => isSignedIn(store, { providerId, organizationId, userId }),
    { organizationId },
  )
}

/** Returns the address at which a sign-in through a provider starts. */
export const startUrlOf = (
  { publicUrl }: Pick<Context, 'publicUrl'>,
  { kind, id }: Pick<SsoProviderRow, 'kind' | 'id'>,
): string => `${publicUrl()}/sso/${kind}/${id}`

/** Returns the addresses of this service at a SAML provider. */
export function samlServiceOf(
  ctx: Pick<Context, 'publicUrl'>,
  row: Pick<SsoProviderRow, 'kind' | 'id'>,
) {
  const startURL = startUrlOf(ctx, row)
  return { acsURL: `${startURL}/acs`, startURL, entityID: `${startURL}/metadata` }
}

/** Returns the addresses of this service at a provider of OpenID Connect. */
export function oidcServiceOf(
  ctx: Pick<Context, 'publicUrl'>,
  row: Pick<SsoProviderRow, 'kind' | 'id'>,
) {
  const startURL = startUrlOf(ctx, row)
  return { redirectURL: `${startURL}/callback`, startURL }
}
