import type { Context } from '../../context.ts'
import { Fault } from '../../errors.ts'
import { listAllOrganizations } from '../../store/people/organizations.ts'
import { ownersOfHost } from './host-rules.ts'

/**
 * Throws 'conflict' unless sites of an organization may use a host: not one of the server's own,
 * and on a server with several organizations one that the operator assigned to it.
 */
export function checkHost(ctx: Context, organizationId: string, host: string): void {
  if (isOwnHost(ctx, host))
    throw new Fault(
      'name_reserved',
      `The host name "${host}" is used by the server itself. Choose another one.`,
    )

  if (listAllOrganizations(ctx.store).length === 1) return

  if (!ownersOfHost(ctx, host).has(organizationId))
    throw new Fault(
      'host_not_assigned',
      `The organization may not use the host name "${host}". Ask the operator of the server to assign it with STEMMA_SITE_HOSTS.`,
    )
}

/** Returns whether a host is that of the public URL, or of the sites URL. */
function isOwnHost({ config: { sitesUrl }, publicUrl }: Context, host: string): boolean {
  if (host === new URL(publicUrl()).hostname) return true
  if (sitesUrl === undefined) return false
  const base = new URL(sitesUrl.replace('{org}.', '')).hostname
  return host === base || (sitesUrl.includes('{org}') && host.endsWith(`.${base}`))
}
