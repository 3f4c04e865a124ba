import { z } from 'zod'
import { RoleNameOrNull } from '../../../access/role-names.ts'
import { lineOfText } from '../../../lib/line-of-text.ts'
import { OrganizationPath } from '../../base/organizations/schema.ts'
import { Team } from '../teams/schema.ts'

export const SamlProviderPath = OrganizationPath.extend({ samlProviderId: z.string() })
export const OidcProviderPath = OrganizationPath.extend({ oidcProviderId: z.string() })

const Label = lineOfText(1, 30).meta({ description: 'What the sign-in page calls it.' })

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
  .meta({
    id: 'OrganizationSAMLProvider',
    description: 'An identity provider of an organization that speaks SAML 2.0.',
    sentences: {
      label: 'What the sign-in page calls it.',
      defaultTeam:
        'The team that joins members who sign in for the first time; left out without one.',
      defaultRole: 'The role of a member who signs in for the first time; null makes them guests.',
      entityID: 'How the provider calls itself; empty while it is not set.',
      certificate: 'The certificates of its signatures in PEM; empty while they are not set.',
      emailAttribute: 'The attribute with the e-mail address; null for the usual ones.',
      'service.acsURL': 'Where the provider sends its assertions.',
      'service.startURL': 'Where sign-ins start.',
      'service.entityID': 'How this server calls itself.',
    },
  })

const samlFields = {
  entityID: z.string().trim().max(1024).optional().meta({
    description: 'The name of the identity provider. An empty text removes it.',
  }),
  certificate: z.string().max(10_000).optional().meta({
    description:
      'The certificates of its signatures in PEM, one after the other, or a single one as base64: RSA of at least 2048 bits. An empty text removes them.',
  }),
  ssoURL: z.url().max(2048).optional().meta({ description: 'Where its sign-ins start; https.' }),
}

/** The name of an attribute or claim. */
const Name = z.string().trim().min(1).max(255).nullable().optional()

const defaults = {
  defaultTeam: z
    .string()
    .min(1)
    .max(100)
    .optional()
    .meta({ description: 'The id of the team that joins members who sign in for the first time.' }),
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
  .meta({
    id: 'OrganizationOIDCProvider',
    description:
      'An identity provider of an organization that speaks OpenID Connect. Its secret is never shown.',
    sentences: {
      label: 'What the sign-in page calls it.',
      defaultTeam:
        'The team that joins members who sign in for the first time; left out without one.',
      defaultRole: 'The role of a member who signs in for the first time; null makes them guests.',
      issuer: 'The address by which the provider calls itself.',
      clientId: 'The id of this server at the provider.',
      scopes: 'What sign-ins ask the provider for, with blanks between.',
      trustsEmail: 'Whether addresses count that the provider has not verified.',
      emailClaim: 'The claim with the e-mail address; null for `email`.',
      status: '`active` once sign-ins are possible.',
      'service.redirectURL': 'Where the provider sends people back.',
      'service.startURL': 'Where sign-ins start.',
    },
  })

const scopeNames = /^[\x21\x23-\x5b\x5d-\x7e]+(?: [\x21\x23-\x5b\x5d-\x7e]+)*$/

export const OidcProviderBody = z.strictObject({
  label: Label,
  issuer: z.url().max(1024).meta({
    description: 'The https URL below which the provider serves /.well-known/openid-configuration.',
  }),
  clientId: z
    .string()
    .trim()
    .min(1)
    .max(255)
    .meta({ description: 'The id of this server at the provider.' }),
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
      description: 'A way to sign in to an organization.',
      sentences: {
        label: 'What the sign-in page calls it.',
        startURL: 'Where the sign-in starts, for a browser.',
      },
    }),
  ),
})

export const CodeBody = z.strictObject({
  code: z
    .string()
    .min(1)
    .max(200)
    .meta({ description: 'The code from the address to which the sign-in led.' }),
  code_verifier: z.string().min(43).max(128).optional().meta({
    description: 'The text whose SHA-256 was sent as `code_challenge` when the sign-in began.',
  }),
})

export const SignInToken = z
  .object({
    token: z.string(),
    expiresAt: z.string(),
    user: z.object({ id: z.string(), displayName: z.string() }),
    organization: z.object({ id: z.string(), title: z.string() }),
  })
  .meta({
    id: 'SignInToken',
    description: 'The token of a user who has signed in.',
    sentences: {
      token: 'The secret, a Bearer token for the API.',
      user: 'Who has signed in.',
      'user.id': 'The id of the user.',
      'user.displayName': 'The name of the user.',
      organization: 'The organization to which they have signed in.',
      'organization.id': 'The id of the organization.',
    },
  })
