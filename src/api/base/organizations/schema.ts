import { z } from 'zod'
import { RoleName, RoleNameOrNull } from '../../../access/role-names.ts'
import { lineOfText, WebAddress } from '../../../lib/line-of-text.ts'
import { StandaloneMergeRules } from '../merge-rules-schema.ts'

export const OrganizationPath = z.object({ organizationId: z.string() })

/** The default role of a space or collection. */
export const Level = z.union([RoleName, z.literal('inherit'), z.null()]).meta({
  description:
    'The default role of members of the organization: a role, null for none, or "inherit" for the level of the parent collection, and at the top level for each member’s role in the organization.',
})

const Site = z.strictObject({ type: z.literal('site'), site: z.string() })

export const Organization = z
  .object({
    object: z.literal('organization'),
    id: z.string(),
    title: z.string(),
    createdAt: z.string(),
    emailDomains: z.array(z.string()),
    hostname: z.string().optional(),
    type: z.enum(['business', 'community']),
    defaultRole: RoleNameOrNull,
    defaultContent: Site.optional(),
    sso: z.boolean(),
    ai: z.boolean(),
    inviteLinks: z.boolean(),
    outsidersByAdminsOnly: z.boolean(),
    plan: z.literal('internal'),
    mergeRules: StandaloneMergeRules,
    maxTokenAgeDays: z.int().optional().meta({
      description: 'The maximum lifetime of accepted tokens in days; unlimited when left out.',
    }),
    urls: z.object({ location: z.string(), app: z.string(), logo: z.string().optional() }),
    trial: z.object({ status: z.literal('notapplicable'), count: z.int() }),
    permissions: z.object({
      view: z.boolean(),
      access: z.boolean(),
      admin: z.boolean(),
      ownTeam: z.boolean(),
      createContent: z.boolean(),
      createOpenAPISpec: z.boolean(),
      ingestConversations: z.boolean(),
      viewBilling: z.boolean(),
      listMembers: z.boolean(),
      listTeams: z.boolean(),
      listIntegrations: z.boolean(),
      listInstallations: z.boolean(),
      installIntegration: z.boolean(),
    }),
  })
  .meta({ id: 'Organization' })

const domain = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])$/

const EmailDomain = z
  .string()
  .trim()
  .toLowerCase()
  .max(253)
  .regex(domain, 'takes a domain such as "example.org"')

const Title = lineOfText(2, 255)

/** What an operator says about a new organization. */
export const OrganizationBody = z.strictObject({
  id: z
    .string()
    .regex(
      /^[A-Za-z0-9][\w-]{0,63}$/,
      'takes up to 64 letters, digits, "-" and "_", the first a letter or digit',
    ),
  title: Title,
})

export const OrganizationPatch = z.strictObject({
  title: Title.optional(),
  emailDomains: z
    .array(EmailDomain)
    .max(100)
    .transform(domains => [...new Set(domains)])
    .optional(),
  hostname: z
    .string()
    .regex(
      /^[a-z0-9][a-z0-9-]{1,30}[a-z0-9]$/,
      'takes 3 to 32 lower-case letters, digits and hyphens, no hyphen first or last',
    )
    .optional(),
  defaultRole: RoleNameOrNull.optional().meta({
    description:
      'The role of new members whose invitation names none, at most "create"; null makes them guests.',
  }),
  defaultContent: Site.nullable().optional(),
  logo: WebAddress.nullable().optional(),
  sso: z.boolean().optional().meta({
    description:
      'true: only tokens from single sign-on are accepted in this organization, and those created with such a token. Admins and agents are exempt. Needs an active identity provider.',
  }),
  ai: z.boolean().optional(),
  inviteLinks: z.boolean().optional(),
  outsidersByAdminsOnly: z.boolean().optional().meta({
    description:
      'true (the default): only admins of the organization can invite users from outside it. Admins of a space or collection can then share it with members and guests only.',
  }),
  mergeRules: StandaloneMergeRules.optional(),
  maxTokenAgeDays: z.int().min(1).max(3650).nullable().optional().meta({
    description:
      'Tokens that never expire, or expire more than this many days after their creation, are refused in this organization; the lifetime of the token that created a token counts too. null accepts all tokens.',
  }),
})
