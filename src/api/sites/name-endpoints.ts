import { z } from 'zod'
import { customHostname, subdomain } from '../../access/guards/site-names.ts'
import { endpoint } from '../../http/endpoint.ts'
import { CustomHostname, Subdomain } from './name-schema.ts'

export const getSubdomain = endpoint({
  operationId: 'getSubdomain',
  summary: 'Get the organization with a subdomain',
  description:
    'The subdomain is the `hostname` of the organization. Only for organizations that you belong to.',
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
  description: 'For admins of the site.',
  params: z.object({ hostname: z.string().meta({ description: 'The host name of a site.' }) }),
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
