import type { ColumnType, Generated } from 'kysely'
import type { MergeRules } from './merge-rules.ts'
import type { Role } from './roles.ts'
import { ofOrganization, table } from './table.ts'

type UserTable = {
  seq: Generated<number>
  id: string
  display_name: string
  /** The address of the account on the whole server, which the operator gave. */
  confirmed_email: string | null
  /**
   * The address that the organization `asserted_by` says the account has: it holds in this
   * organization alone.
   */
  asserted_email: string | null
  asserted_by: string | null
  /** One of the two, computed by the database. */
  email: ColumnType<string | null, never, never>
  photo_url: string | null
  is_agent: Generated<number>
  created_at: string
}

type OrganizationTable = {
  seq: Generated<number>
  id: string
  title: string
  hostname: string | null
  email_domains: Generated<string[]>
  default_role: Role | null
  default_content: { type: 'site'; site: string } | null
  logo: string | null
  sso: Generated<number>
  ai: Generated<number>
  invite_links: Generated<number>
  outsiders_by_admins: Generated<number>
  merge_rules: Generated<Exclude<MergeRules, { type: 'inherit' }>>
  max_token_age_days: Generated<number | null>
  created_at: string
}

type MemberTable = {
  organization_id: string
  user_id: string
  role: Role | null
  joined_at: string
  last_seen_at: string | null
  sso: Generated<number>
  disabled: Generated<number>
}

type TeamTable = {
  seq: Generated<number>
  id: string
  organization_id: string
  title: string
  created_at: string
}

type TeamMemberTable = {
  team_id: string
  user_id: string
  role: Generated<'owner' | 'member'>
}

type TokenTable = {
  seq: Generated<number>
  id: string
  user_id: string
  name: string
  hash: string
  created_at: string
  last_used_at: string | null
  expires_at: string | null
  revoked_at: string | null
  scopes: Generated<string[]>
  /** The organization that the token is limited to, and the space; null: no limit. */
  organization_id: Generated<string | null>
  space_id: Generated<string | null>
  parent_id: Generated<string | null>
  /**
   * The installation that the token acts for, or the integration whose secret it is; null for the
   * token of a user.
   */
  installation_id: Generated<string | null>
  integration_id: Generated<string | null>
  /**
   * The longest lifetime among the token and its ancestors, in milliseconds; null: one of them
   * never expires.
   */
  lifetime_ms: Generated<number | null>
  /** The identity provider through which the token, or the token that made it, came. */
  provider_id: Generated<string | null>
}

/** A token that an organization does not accept. */
type TokenRefusalTable = {
  organization_id: string
  token_id: string
  refused_by: string
  refused_at: string
}

/** A public key as the key set lists it. */
type PublicJwk = { kty: string; kid: string; alg: string; use: string; crv?: string; x?: string }

type OrganizationKeyTable = {
  organization_id: string
  public_jwk: PublicJwk
  sealed: string
  created_at: string
  retired: Generated<{ jwk: PublicJwk; until: string }[]>
}

type LinkInviteTable = {
  seq: Generated<number>
  id: string
  organization_id: string
  role: Role | null
  level: Role | null
  space_id: string | null
  collection_id: string | null
  created_by: string
  created_at: string
  expires_at: string
  /** null: unlimited. */
  max_uses: number | null
  uses: Generated<number>
}

type RevocationTable = { organization_id: string; user_id: string; revoked_at: string }

type InvitationTable = {
  seq: Generated<number>
  id: string
  organization_id: string
  user_id: string
  email: string
  role: Role | null
  sso: Generated<number>
  created_by: string
  created_at: string
  expires_at: string
}

type LinkInviteUseTable = { invite_id: string; user_id: string; used_at: string }

type PermissionTable = {
  target_kind: 'space' | 'collection'
  target_id: string
  subject_kind: 'user' | 'team'
  subject_id: string
  role: Role | null
  created_at: string
}

export const peopleTables = {
  user: table<UserTable>({ scope: 'any' }),
  organization: table<OrganizationTable>({
    scope: ['organizationId', 'id'],
    owner: true,
    json: { email_domains: true, default_content: true, merge_rules: true },
  }),
  member: table<MemberTable>({ scope: ofOrganization, use: 'last_seen_at' }),
  team: table<TeamTable>({ scope: ofOrganization, owner: true }),
  team_member: table<TeamMemberTable>({ scope: 'any' }),
  token: table<TokenTable>({ scope: 'any', use: 'last_used_at', json: { scopes: true } }),
  token_refusal: table<TokenRefusalTable>({ scope: 'any' }),
  permission: table<PermissionTable>({ scope: 'any' }),
  organization_key: table<OrganizationKeyTable>({
    scope: ofOrganization,
    json: { public_jwk: true, retired: true },
  }),
  invitation: table<InvitationTable>({ scope: ofOrganization }),
  link_invite: table<LinkInviteTable>({ scope: ofOrganization }),
  link_invite_use: table<LinkInviteUseTable>({ scope: 'any' }),
  revocation: table<RevocationTable>({ scope: 'any' }),
}
