import { isIP } from 'node:net'
import { z } from 'zod'

/** The host name of a site: at least three labels, none of them upper-case, without a dot at the end. */
export const SiteHostname = z
  .string()
  .max(253)
  .regex(
    /^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?[.]){2,}[a-z0-9][a-z0-9-]{0,61}[a-z0-9]$/,
    'takes a host name of at least three labels, such as "docs.example.org"; international names in Punycode',
  )
  .refine(name => !isIP(name), 'takes a host name, not an IP address')

/** The address at which a proxy serves a site. */
export const SiteProxyOrigin = z
  .string()
  .max(512)
  .regex(
    /^([\w-]+\.)*[\w-]+\.[a-zA-Z]{2,}(\/[\w-]+)+$/,
    'takes a host name and a path without a scheme, such as "example.org/docs"',
  )
  // Host names are compared in lower case; paths are not.
  .transform(origin => origin.replace(/^[^/]+/, host => host.toLowerCase()))

export const Subdomain = z
  .object({
    object: z.literal('subdomain'),
    subdomain: z.string(),
    target: z.object({ type: z.literal('organization'), organization: z.string() }),
    isActive: z.literal(true),
  })
  .meta({
    id: 'Subdomain',
    description: 'The name of an organization in addresses of sites.',
    sentences: { subdomain: 'The name.', target: 'The organization.' },
  })

export const CustomHostname = z
  .object({
    object: z.literal('custom-hostname'),
    hostname: z.string(),
    target: z.object({ type: z.literal('site'), site: z.string() }),
    isActive: z.literal(true),
    status: z.literal('live'),
    urls: z.object({ location: z.string() }),
  })
  .meta({
    id: 'CustomHostname',
    description: 'A host name at which a site is published.',
    sentences: {
      hostname: 'The name, in lower case.',
      target: 'The site.',
      'target.site': 'The id of the site.',
    },
  })
