import { z } from 'zod'
import { customHostname, subdomain } from '../../access/guards/site-names.ts'
import { endpoint, nothing } from '../../http/endpoint.ts'
import { removal } from '../../http/removal.ts'
import { changeSiteSettings } from './change-settings.ts'
import { CustomHostname, Subdomain } from './name-schema.ts'

const HostnamePath = z.object({
  hostname: z.string().meta({ description: 'The host name of a site.' }),
})

export const getSubdomain = endpoint({
  operationId: 'getSubdomain',
  summary: 'Get the organization with a subdomain',
  description:
    'Returns the organization whose `hostname` is the subdomain. Only organizations that you belong to are found.',
  params: z.object({
    subdomain: z.string().meta({ description: 'The host name of an organization.' }),
  }),
  reply: Subdomain,
  access: subdomain,
  handle: ({ organization, params }) => ({
    object: 'subdomain' as const,
    subdomain: params.subdomain,
    target: { type: 'organization' as const, organization: organization.id },
    isActive: true as const,
  }),
})

export const getCustomHostname = endpoint({
  operationId: 'getCustomHostname',
  summary: 'Get the site with a host name',
  description:
    'Returns the site that is published at the host name. Requires the role "admin" on the site.',
  params: HostnamePath,
  reply: CustomHostname,
  access: customHostname,
  handle: ({ ctx, site, params: { hostname } }) => ({
    object: 'custom-hostname' as const,
    hostname,
    target: { type: 'site' as const, site: site.id },
    isActive: true as const,
    status: 'live' as const,
    urls: { location: `${ctx.publicUrl()}/v1/custom-hostnames/${hostname}` },
  }),
})

export const dnsRevalidateCustomHostname = endpoint({
  operationId: 'dnsRevalidateCustomHostname',
  summary: 'Check a host name again',
  description:
    'Returns the site that is published at the host name, and changes nothing: the server keeps no state of DNS records. A host name works as soon as its DNS records and your proxy lead to this server. Requires the role "admin" on the site.',
  params: HostnamePath,
  reply: nothing,
  access: customHostname,
  write: () => undefined,
})

export const removeCustomHostname = removal({
  operationId: 'removeCustomHostname',
  summary: 'Remove the host name of a site',
  description:
    'Removes the host name; the site stays published at its address on this server. Requires the role "admin" on the site. The operation also succeeds when no site has the host name.',
  params: HostnamePath,
  access: customHostname,
  remove: ({ ctx, site, user, by }) =>
    void changeSiteSettings(ctx, site, { hostname: null }, user, by),
})
