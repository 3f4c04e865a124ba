import type { Context } from '../../context.ts'
import { Fault } from '../../errors.ts'
import { findOrganization, findOrganizationNamed } from '../../store/people/organizations.ts'

/**
 * Names that belong to the server: readers take a host or path with one of them for a part of it.
 */
const reserved: ReadonlySet<string> = new Set(
  `account accounts admin administrator api app apps assets auth autoconfig autodiscover billing cdn console
  dashboard docs download downloads email files ftp git graphql healthz help hostmaster images imap internal localhost
  login logout mail mcp media metrics mx oauth oidc pop pop3 postmaster preview proxy public readyz register root saml
  search security server signin signout signup site sites smtp sso static status stemma support system upload uploads
  user users v1 v2 v3 webhook webhooks webmaster well-known wpad www`.split(/\s+/),
)

/**
 * Throws 'conflict' unless a name may be given to an organization (undefined: a new one) as its id
 * or hostname. Ids and hostnames are one namespace, in which case makes no difference: addresses
 * and the operator's rules name an organization by either. Call it inside the transaction that
 * gives the name.
 */
export function checkOrganizationName(
  ctx: Context,
  what: 'id' | 'hostname',
  name: string,
  organizationId?: string,
): void {
  const key = name.toLowerCase()
  const isOwnId = key === organizationId?.toLowerCase()
  if (!isOwnId && reserved.has(key))
    throw new Fault(
      'name_reserved',
      `The ${what} "${name}" is reserved for the server. Choose another one.`,
    )

  if (findOrganizationNamed(ctx.store, name, organizationId))
    throw new Fault('name_in_use', `The ${what} "${name}" is already in use. Choose another one.`)

  if (what === 'hostname' && !isOwnId && isAwaited(ctx, key))
    throw new Fault(
      'name_reserved',
      `The hostname "${name}" is reserved by the operator. Choose another one.`,
    )
}

/**
 * Returns whether a rule of the operator names an organization by this id that does not exist yet.
 */
const isAwaited = ({ config, store }: Context, key: string): boolean =>
  config.siteHosts.some(
    ({ organization }) =>
      organization.toLowerCase() === key && !findOrganization(store, organization),
  )
