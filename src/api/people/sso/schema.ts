import { z } from 'zod'
import { RoleNameOrNull } from '../../../access/role-names.ts'
import { lineOfText } from '../../../lib/line-of-text.ts'
import { OrganizationPath } from '../../base/organizations/schema.ts'
import { Team } from '../teams/schema.ts'

export const SamlProviderPath = OrganizationPath.extend({ samlProviderId: z.string() })
export const OidcProviderPath = OrganizationPath.extend({ oidcProviderId: z.string() })

const Label = lineOfText(1, 30)

const DefaultRole = RoleNameOrNull.meta({
  description: 'The role of a member who signs in for the first time; null makes them guests.',
})

const common = {
  id: z.string(),
  label: z.string(),
  defaultTeam: Team.optional(),
  defaultRole: RoleNameOrNull,
  createdAt: z.string(),
  urls: z.object({ location: z.string() }),
}

export const SamlProvider = z
  .object({
    object: z.literal('saml-provider'),
    ...common,
    ssoURL: z.string().meta({ description: '"about:blank" while it is not set.' }),
    entityID: z.string(),
    certificate: z.string(),
    emailAttribute: z.string().nullable(),
    status: z.enum(['active', 'pending']).meta({
      description: '"active" once ssoURL, entityID and certificate are set.',
    }),
    service: z
      .object({ acsURL: z.string(), startURL: z.string(), entityID: z.string() })
      .meta({ description: 'What to enter at the identity provider.' }),
  })
  .meta({ id: 'OrganizationSAMLProvider' })

const samlFields = {
  entityID: z.string().trim().max(1024).optional().meta({
    description: 'How the identity provider calls itself. An empty text takes it away.',
  }),
  certificate: z.string().max(10_000).optional().meta({
    description:
      'The certificates of its signatures in PEM, one after the other, or a single one as base64: RSA of at least 2048 bits. An empty text takes them away.',
  }),
  ssoURL: z.url().max(2048).optional().meta({ description: 'Where its sign-ins start; https.' }),
}

/** The name of an attribute or claim. */
const Name = z.string().trim().min(1).max(255).nullable().optional()

const defaults = {
  defaultTeam: z.string().min(1).max(100).optional(),
  defaultRole: DefaultRole.optional(),
}

export const SamlProviderBody = z.strictObject({
  label: Label,
  ...samlFields,
  emailAttribute: Name.meta({
    description:
      'The attribute of assertions with the e-mail address. null: the name ID, or an attribute under one of the names that providers use, such as `mail`.',
  }),
  ...defaults,
})

export const SamlProviderPatch = SamlProviderBody.partial()

export const OidcProvider = z
  .object({
    object: z.literal('oidc-provider'),
    ...common,
    issuer: z.string(),
    clientId: z.string(),
    scopes: z.string(),
    trustsEmail: z.boolean(),
    emailClaim: z.string().nullable(),
    status: z.enum(['active', 'pending']),
    service: z
      .object({ redirectURL: z.string(), startURL: z.string() })
      .meta({ description: 'What to enter at the identity provider.' }),
  })
  .meta({ id: 'OrganizationOIDCProvider' })

const scopeNames = /^[\x21\x23-\x5b\x5d-\x7e]+(?: [\x21\x23-\x5b\x5d-\x7e]+)*$/

export const OidcProviderBody = z.strictObject({
  label: Label,
  issuer: z.url().max(1024).meta({
    description: 'The https URL below which the provider serves /.well-known/openid-configuration.',
  }),
  clientId: z.string().trim().min(1).max(255),
  clientSecret: z
    .string()
    .min(1)
    .max(1024)
    .meta({ description: 'It is stored encrypted and never shown.' }),
  scopes: z
    .string()
    .max(500)
    .regex(scopeNames, 'takes scopes with a blank between them')
    .refine(text => text.split(' ').includes('openid'), 'must contain "openid"')
    .optional()
    .meta({ description: 'Default: "openid email profile".' }),
  trustsEmail: z.boolean().optional().meta({
    description:
      'true: e-mail addresses count although the provider does not say that it has verified them.',
  }),
  emailClaim: Name.meta({
    description:
      'The claim of ID tokens with the e-mail address, such as "preferred_username"; null: "email". Another claim needs `trustsEmail`, because providers only verify "email".',
  }),
  ...defaults,
})

export const OidcProviderPatch = OidcProviderBody.partial()

export const Logins = z.object({
  items: z.array(
    z.object({ id: z.string(), label: z.string(), startURL: z.string() }).meta({
      id: 'OrganizationSSOProviderLogin',
    }),
  ),
})

export const CodeBody = z.strictObject({
  code: z.string().min(1).max(200),
  code_verifier: z.string().min(43).max(128).optional(),
})

export const SignInToken = z
  .object({
    token: z.string(),
    expiresAt: z.string(),
    user: z.object({ id: z.string(), displayName: z.string() }),
    organization: z.object({ id: z.string(), title: z.string() }),
  })
  .meta({ id: 'SignInToken' })
