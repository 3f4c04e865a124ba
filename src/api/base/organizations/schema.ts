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

const Site = z.strictObject({
  type: z.literal('site'),
  site: z.string().meta({ description: 'The id of the site.' }),
})

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
  .meta({
    id: 'Organization',
    description:
      'The owner of spaces, collections, sites and specs, with its members and settings.',
    sentences: {
      id: 'The id, which never changes.',
      emailDomains: 'The e-mail domains whose users count as its own in single sign-on.',
      hostname:
        'The part of site addresses that names the organization; left out while it is not set.',
      type: 'Always `business`: there are no plans.',
      defaultRole: 'The role of new members whose invitation has no role; null makes them guests.',
      defaultContent: 'The site that new members see first; left out without one.',
      'defaultContent.site': 'The id of the site.',
      sso: 'Whether single sign-on is required: only tokens from it are accepted.',
      ai: 'A setting that is kept for other clients. This server uses no AI.',
      inviteLinks: 'Whether admins can create links with which people join.',
      outsidersByAdminsOnly: 'Whether only admins can invite users from outside the organization.',
      mergeRules: 'The merge rules of its spaces that inherit them.',
      'urls.logo': 'The address of its logo; left out without one.',
      trial: 'Kept for other clients: there are no trials.',
      'trial.count': 'Always 0.',
      'permissions.ownTeam': 'Whether the caller owns a team.',
      'permissions.createContent': 'Whether the caller may create spaces and collections.',
      'permissions.createOpenAPISpec': 'Whether the caller may create OpenAPI specs.',
      'permissions.ingestConversations': 'Always false: there are no conversations.',
      'permissions.viewBilling': 'Always false: there is no billing.',
      'permissions.listMembers': 'Whether the caller may list the members.',
      'permissions.listTeams': 'Whether the caller may list the teams.',
      'permissions.listIntegrations': 'Whether the caller may list the integrations.',
      'permissions.listInstallations': 'Whether the caller may list the installations.',
    },
  })

const domain = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])$/

export const EmailDomain = z
  .string()
  .trim()
  .toLowerCase()
  .max(253)
  .regex(domain, 'takes a domain such as "example.org"')

const EmailDomains = z
  .array(EmailDomain)
  .max(100)
  .transform(domains => [...new Set(domains)])
  .optional()
  .meta({
    description: 'The e-mail domains whose users count as its own in single sign-on, up to 100.',
  })

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

/** What a user says about a new organization. */
export const NewOrganization = z.strictObject({
  title: Title,
  emailDomains: EmailDomains,
})

export const OrganizationPatch = z.strictObject({
  title: Title.optional(),
  emailDomains: EmailDomains,
  hostname: z
    .string()
    .regex(
      /^[a-z0-9][a-z0-9-]{1,30}[a-z0-9]$/,
      'takes 3 to 32 lower-case letters, digits and hyphens, no hyphen first or last',
    )
    .optional()
    .meta({ description: 'The part of site addresses that names the organization.' }),
  defaultRole: RoleNameOrNull.optional().meta({
    description:
      'The role of new members whose invitation has no role, at most "create"; null makes them guests.',
  }),
  defaultContent: Site.nullable().optional().meta({
    description: 'The site to which the address of the organization leads; null for none.',
  }),
  logo: WebAddress.nullable()
    .optional()
    .meta({ description: 'The address of its logo; null removes it.' }),
  sso: z.boolean().optional().meta({
    description:
      'true: only tokens from single sign-on are accepted in this organization, and those created with such a token. Admins and agents are exempt. Needs an active identity provider.',
  }),
  ai: z
    .boolean()
    .optional()
    .meta({ description: 'A setting that is kept for other clients. This server uses no AI.' }),
  inviteLinks: z
    .boolean()
    .optional()
    .meta({ description: 'Whether admins can create links with which people join.' }),
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
