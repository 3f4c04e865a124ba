import { z } from 'zod'
import { firstAdmin, organization } from '../../../access/guards/organization.ts'
import { self } from '../../../access/guards/self.ts'
import { dayMs, reachesOrganization } from '../../../access/reach.ts'
import { changedFields } from '../../../actions/events/changed-fields.ts'
import { recordOnOrganization } from '../../../actions/events/record-event.ts'
import { createNamedOrganization } from '../../../actions/people/create-organization.ts'
import { checkOrganizationName } from '../../../actions/people/organization-name.ts'
import type { Context } from '../../../context.ts'
import { Fault, invalid, missing } from '../../../errors.ts'
import { created, endpoint } from '../../../http/endpoint.ts'
import { listing } from '../../../http/list.ts'
import { noLimit } from '../../../store/dialect.ts'
import { listOrganizations, updateOrganization } from '../../../store/people/organizations.ts'
import { listOrganizationsOfOwnedTeams } from '../../../store/people/teams.ts'
import { rememberedSite } from '../../../store/sites/sites.ts'
import { listActiveProviders } from '../../../store/sso/providers.ts'
import type { OrganizationRow } from '../../../store/tables/rows.ts'
import { checkRuleUsers } from '../check-rule-users.ts'
import { presentOrganization } from './present.ts'
import {
  EmailDomain,
  NewOrganization,
  Organization,
  OrganizationPatch,
  OrganizationPath,
} from './schema.ts'

export const listOrganizationsForAuthenticatedUser = listing({
  operationId: 'listOrganizationsForAuthenticatedUser',
  summary: 'List the organizations you belong to',
  description: 'Returns the organizations in which you are a member or guest, oldest first.',
  params: z.object({}),
  item: Organization,
  access: self,
  list: ({ ctx, user }) => ({
    name: `organizations ${user.id}`,
    rows: (limit, after) =>
      listOrganizations(ctx.store, user.id, noLimit, after)
        .filter(row => reachesOrganization(ctx, user.id, row.id))
        .slice(0, limit),
    show: rows => {
      const owned = listOrganizationsOfOwnedTeams(ctx.store, user.id)
      return rows.map(row =>
        presentOrganization(
          row,
          { role: row.member_role, ownsTeam: owned.has(row.id) },
          ctx.publicUrl(),
        ),
      )
    },
  }),
})

export const createOrganization = endpoint({
  operationId: 'createOrganization',
  summary: 'Create an organization',
  description:
    'Creates an organization with the caller as its first admin. Requires an admin of the first organization of the server; otherwise the operator of the server creates organizations on the command line.',
  params: z.object({}),
  body: NewOrganization,
  reply: Organization,
  status: 201,
  access: firstAdmin,
  write: ({ ctx, user, body, by }) => {
    const row = createNamedOrganization(ctx, { ...body, admin: user.id }, by)
    return created(presentOrganization(row, { role: 'admin', ownsTeam: false }, ctx.publicUrl()))
  },
})

export const getOrganizationsForEmailDomain = endpoint({
  operationId: 'getOrganizationsForEmailDomain',
  summary: 'List your organizations with an e-mail domain',
  description:
    'Returns those of your organizations that have the domain in `emailDomains`. Other organizations are not listed.',
  params: z.object({
    emailDomain: z.string().meta({ description: 'A domain of e-mail addresses.' }),
  }),
  reply: z.object({ organizations: z.array(Organization) }),
  access: self,
  handle: ({ ctx, user, params }) => {
    const domain = EmailDomain.safeParse(params.emailDomain)
    if (!domain.success)
      throw invalid('"emailDomain" in the path takes a domain such as "example.org".')
    const owned = listOrganizationsOfOwnedTeams(ctx.store, user.id)
    const found = listOrganizations(ctx.store, user.id, noLimit).filter(
      row => row.email_domains.includes(domain.data) && reachesOrganization(ctx, user.id, row.id),
    )

    return {
      organizations: found.map(row =>
        presentOrganization(
          row,
          { role: row.member_role, ownsTeam: owned.has(row.id) },
          ctx.publicUrl(),
        ),
      ),
    }
  },
})

export const getOrganizationById = endpoint({
  operationId: 'getOrganizationById',
  summary: 'Get an organization',
  description:
    'Returns the organization with its settings; `permissions` says what you may do in it. Requires a member or guest of the organization.',
  params: OrganizationPath,
  reply: Organization,
  access: organization('guest'),
  handle: ({ ctx, organization: row, member, user }) => {
    const ownsTeam = listOrganizationsOfOwnedTeams(ctx.store, user.id).has(row.id)
    return presentOrganization(row, { role: member.role, ownsTeam }, ctx.publicUrl())
  },
})

export const updateOrganizationById = endpoint({
  operationId: 'updateOrganizationById',
  summary: 'Update an organization',
  description:
    'Changes the settings of the organization. Properties that are left out stay unchanged. Requires an admin of the organization.',
  params: OrganizationPath,
  body: OrganizationPatch,
  reply: Organization,
  access: organization('admin'),
  write: ({ ctx, organization: row, member, user, body, by }) => {
    checkOwnToken(ctx, body.maxTokenAgeDays)
    const set = changesOf(ctx, row, body)
    const changed = Object.keys(set).length > 0 ? updateOrganization(ctx.store, row.id, set) : row
    const details = changedFields(row, changed as OrganizationRow, [
      'hostname',
      'default_role',
      'sso',
      'ai',
      'invite_links',
      'max_token_age_days',
      'outsiders_by_admins',
    ])

    if (details) recordOnOrganization(ctx, row, 'organization.updated', by, details)

    const ownsTeam = listOrganizationsOfOwnedTeams(ctx.store, user.id).has(row.id)

    return presentOrganization(
      changed as OrganizationRow,
      { role: member.role, ownsTeam },
      ctx.publicUrl(),
    )
  },
})

/** Throws 'invalid' when the new limit would lock out the token that sets it. */
function checkOwnToken({ reach }: Context, days: number | null | undefined): void {
  if (typeof days !== 'number' || !reach || reach.lifetimeMs <= days * dayMs) return
  throw invalid(
    `"maxTokenAgeDays" in the body: the token of this request has a longer lifetime and would be locked out. Use a token within the limit, such as one created with "stemma token create --expires".`,
  )
}

/**
 * Throws 'conflict' when single sign-on is to be required and there is no provider to sign in with.
 */
function checkProvider(
  { store }: Context,
  { id, sso }: OrganizationRow,
  required: boolean | undefined,
): void {
  if (!required || sso === 1 || listActiveProviders(store, id).length > 0) return
  throw new Fault(
    'provider_needed',
    'The organization has no active identity provider, so its members could not sign in. Set one up before you require single sign-on.',
  )
}

type Changes = Parameters<typeof updateOrganization>[2]

function changesOf(
  ctx: Context,
  row: OrganizationRow,
  body: z.output<typeof OrganizationPatch>,
): Changes {
  // Admins of the organization see all of its sites.
  if (body.defaultContent && !rememberedSite(ctx.store, row.id, body.defaultContent.site))
    throw missing('site', body.defaultContent.site)
  if (body.hostname !== undefined && body.hostname !== row.hostname)
    checkOrganizationName(ctx, 'hostname', body.hostname, row.id)
  checkProvider(ctx, row, body.sso)
  checkRuleUsers(ctx, row.id, body.mergeRules)

  return {
    ...(body.title !== undefined && { title: body.title }),
    ...(body.emailDomains !== undefined && { email_domains: body.emailDomains }),
    ...(body.hostname !== undefined && { hostname: body.hostname }),
    ...(body.defaultContent !== undefined && { default_content: body.defaultContent }),
    ...(body.logo !== undefined && { logo: body.logo }),
    ...(body.mergeRules !== undefined && { merge_rules: body.mergeRules }),
    ...policyOf(body),
  }
}

/** Returns the columns of the settings that decide about members and tokens. */
const policyOf = (body: z.output<typeof OrganizationPatch>): Changes => ({
  ...(body.defaultRole !== undefined && { default_role: body.defaultRole }),
  ...(body.sso !== undefined && { sso: Number(body.sso) }),
  ...(body.ai !== undefined && { ai: Number(body.ai) }),
  ...(body.inviteLinks !== undefined && { invite_links: Number(body.inviteLinks) }),
  ...(body.maxTokenAgeDays !== undefined && { max_token_age_days: body.maxTokenAgeDays }),
  ...(body.outsidersByAdminsOnly !== undefined && {
    outsiders_by_admins: Number(body.outsidersByAdminsOnly),
  }),
})
