import type { SitePlace } from '../place/place.ts'
import { imageHostsOf } from '../place/settings-of-place.ts'
import { pageHeaders } from './headers.ts'
import { policyWith, scriptsOf } from './script-policy.ts'

/**
 * Returns the `Content-Security-Policy` header of a page, which may connect to these additional
 * origins.
 */
export function policyHeader(
  place: SitePlace,
  origins: readonly string[] = [],
): Record<string, string> {
  const policy = withImages(pageHeaders['Content-Security-Policy'], imageHostsOf(place))
  return { 'Content-Security-Policy': policyWith(policy, scriptsOf(place), origins) }
}

/**
 * Returns a policy that allows images of these hosts only, besides those of the site, and no
 * recordings of other hosts.
 */
const withImages = (policy: string, hosts: readonly string[] | undefined): string =>
  hosts === undefined
    ? policy
    : policy
        .replace(/(?<=; )img-src [^;]*/, ["img-src 'self' data:", ...hosts].join(' '))
        .replace(/(?<=; )media-src [^;]*/, "media-src 'self'")
