import type { z } from 'zod'
import { oidcServiceOf, samlServiceOf } from '../../../access/sign-in.ts'
import type { Context } from '../../../context.ts'
import { findTeam } from '../../../store/people/teams.ts'
import type { MemberRow, SsoProviderRow } from '../../../store/tables/rows.ts'
import { loadTeam } from '../teams/load.ts'
import type { OidcProvider, SamlProvider } from './schema.ts'

type Viewer = Pick<MemberRow, 'user_id' | 'role'>

function shared(ctx: Context, row: SsoProviderRow, viewer: Viewer) {
  const team =
    row.default_team_id === null
      ? undefined
      : findTeam(ctx.store, row.organization_id, row.default_team_id)
  return {
    id: row.id,
    label: row.label,
    ...(team && { defaultTeam: loadTeam(ctx, team, viewer) }),
    defaultRole: row.default_role,
    createdAt: row.created_at,
    status: row.active === 1 ? ('active' as const) : ('pending' as const),
    urls: { location: `${ctx.publicUrl()}/v1/orgs/${row.organization_id}/${row.kind}/${row.id}` },
  }
}

/** Returns a SAML provider as the admins of its organization see it. */
export const presentSamlProvider = (
  ctx: Context,
  row: SsoProviderRow,
  viewer: Viewer,
): z.input<typeof SamlProvider> => ({
  object: 'saml-provider',
  ...shared(ctx, row, viewer),
  // Clients take a URL here, also while there is none.
  ssoURL: row.sso_url === '' ? 'about:blank' : row.sso_url,
  entityID: row.issuer,
  certificate: row.certificate,
  emailAttribute: row.email_from,
  service: samlServiceOf(ctx, row),
})

/**
 * Returns a provider of OpenID Connect as the admins of its organization see it, without the client
 * secret.
 */
export const presentOidcProvider = (
  ctx: Context,
  row: SsoProviderRow,
  viewer: Viewer,
): z.input<typeof OidcProvider> => ({
  object: 'oidc-provider',
  ...shared(ctx, row, viewer),
  issuer: row.issuer,
  clientId: row.client_id,
  scopes: row.scopes,
  trustsEmail: row.trusts_email === 1,
  emailClaim: row.email_from,
  service: oidcServiceOf(ctx, row),
})
