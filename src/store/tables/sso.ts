import type { Generated } from 'kysely'
import type { Role } from './roles.ts'
import { ofOrganization, table } from './table.ts'

export type SsoKind = 'saml' | 'oidc'

type SsoProviderTable = {
  seq: Generated<number>
  id: string
  organization_id: string
  kind: SsoKind
  label: string
  active: Generated<number>
  default_team_id: string | null
  default_role: Role | null
  /** The SAML entity ID, or the issuer of OpenID Connect; '' while unknown. */
  issuer: Generated<string>
  /** SAML only; '' while unknown. */
  sso_url: Generated<string>
  certificate: Generated<string>
  /** OpenID Connect only. */
  client_id: Generated<string>
  secret_sealed: string | null
  scopes: Generated<string>
  trusts_email: Generated<number>
  /** The attribute or claim with the e-mail address; null: the usual ones. */
  email_from: string | null
  created_at: string
  updated_at: string
}

type SsoIdentityTable = {
  provider_id: string
  subject: string
  user_id: string
  /**
   * The name that the provider last gave to a user whom it created; null: it did not create the
   * user.
   */
  display_name: string | null
  created_at: string
  last_login_at: string
}

type SsoRequestTable = {
  id: string
  provider_id: string
  /** What the sign-in ends with. */
  delivery: Generated<'code' | 'session'>
  /**
   * Where the browser returns to; null: the code is shown on a page. A session returns to an
   * address of this server.
   */
  redirect_uri: string | null
  code_challenge: string | null
  state: string | null
  browser_hash: string
  /** OpenID Connect only. */
  nonce: string | null
  verifier_sealed: string | null
  created_at: string
  expires_at: string
}

type SsoCodeTable = {
  hash: string
  provider_id: string
  user_id: string
  code_challenge: string | null
  /** When the provider ends the session; null: it does not say. */
  session_ends_at: string | null
  /** The token that it was exchanged for; null: it was not used yet. */
  token_id: string | null
  created_at: string
  expires_at: string
}

type SsoAssertionTable = { provider_id: string; assertion_id: string; expires_at: string }

type SessionTable = {
  seq: Generated<number>
  id: string
  hash: string
  user_id: string
  /** The provider through which the browser signed in; null: a person entered the token. */
  provider_id: string | null
  /** The organization that the token is limited to; null: no limit. */
  organization_id: string | null
  /** The token whose rights the session has. */
  token_id: string
  /** Whether the token was made for the session alone, and ends with it. */
  own_token: Generated<number>
  user_agent: string | null
  address: string | null
  created_at: string
  last_used_at: string | null
  expires_at: string
  revoked_at: string | null
}

type WelcomeCodeTable = {
  seq: Generated<number>
  hash: string
  user_id: string
  /** Whether the user has yet to tell their name and e-mail address. */
  introduces: number
  /** Whether its page opens on other machines than that of the server. */
  anywhere: number
  created_at: string
  expires_at: string
}

export const ssoTables = {
  sso_provider: table<SsoProviderTable>({ scope: ofOrganization }),
  sso_identity: table<SsoIdentityTable>({ scope: 'derived' }),
  sso_request: table<SsoRequestTable>({ scope: 'derived' }),
  sso_code: table<SsoCodeTable>({ scope: 'derived' }),
  sso_assertion: table<SsoAssertionTable>({ scope: 'derived' }),
  welcome_code: table<WelcomeCodeTable>({ scope: 'derived' }),
  session: table<SessionTable>({ scope: 'any', use: 'last_used_at' }),
}
