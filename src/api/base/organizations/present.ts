import type { z } from 'zod'
import { atLeast } from '../../../access/roles.ts'
import type { Role } from '../../../store/tables/roles.ts'
import type { OrganizationRow } from '../../../store/tables/rows.ts'
import type { Organization } from './schema.ts'

type Resource = z.input<typeof Organization>

/** A user's membership: the role (null for a guest), and whether they own a team. */
type Membership = { role: Role | null; ownsTeam: boolean }

/** Returns an organization as one of its members sees it. `base` is the prefix of `urls.*`. */
export function presentOrganization(
  row: OrganizationRow,
  member: Membership,
  base: string,
): Resource {
  const location = `${base}/v1/orgs/${row.id}`
  return {
    object: 'organization',
    id: row.id,
    title: row.title,
    createdAt: row.created_at,
    emailDomains: row.email_domains,
    ...(row.hostname !== null && { hostname: row.hostname }),
    type: 'business',
    defaultRole: row.default_role,
    ...(row.default_content !== null && { defaultContent: row.default_content }),
    sso: row.sso === 1,
    ai: row.ai === 1,
    inviteLinks: row.invite_links === 1,
    outsidersByAdminsOnly: row.outsiders_by_admins === 1,
    // There are no plans, trials or billing.
    plan: 'internal',
    mergeRules: row.merge_rules,
    ...(row.max_token_age_days !== null && { maxTokenAgeDays: row.max_token_age_days }),
    urls: { location, app: location, ...(row.logo !== null && { logo: row.logo }) },
    trial: { status: 'notapplicable', count: 0 },
    permissions: permissionsOf(member),
  }
}

function permissionsOf({ role, ownsTeam }: Membership): Resource['permissions'] {
  const admin = role === 'admin'
  const creates = atLeast(role, 'create')
  const isMember = role !== null

  return {
    view: true,
    access: true,
    admin,
    ownTeam: ownsTeam,
    createContent: creates,
    createOpenAPISpec: creates,
    // There are no conversations and no billing.
    ingestConversations: false,
    viewBilling: false,
    listMembers: isMember,
    listTeams: isMember,
    listIntegrations: isMember,
    listInstallations: isMember,
    installIntegration: admin,
  }
}
