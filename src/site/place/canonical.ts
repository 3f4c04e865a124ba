import type { SitePlace } from './place.ts'

/** Returns the public base of the addresses of the pages of a place. */
export function canonicalBase({ resolved, path }: Pick<SitePlace, 'resolved' | 'path'>): string {
  const tail = path.split('/').map(encodeURIComponent).join('/')
  const { canonicalUrl } = resolved
  return tail !== '' && canonicalUrl.endsWith(tail)
    ? canonicalUrl.slice(0, -tail.length)
    : canonicalUrl
}

/** Returns the public base of the addresses of a site. */
export function canonicalSiteBase(place: Pick<SitePlace, 'resolved' | 'path'>): string {
  const base = canonicalBase(place)
  const { path } = place.resolved.siteSpace
  return path !== '' && base.endsWith(path) ? base.slice(0, -path.length) : base
}

/** Returns an address of a page or a file of a place as a whole URL. */
export function wholeAddress(place: SitePlace, address: string): string {
  const { base, resolved } = place
  const own = canonicalBase(place)
  const scope = base.slice(resolved.basePath.length)
  const top = own.endsWith(scope) ? own.slice(0, own.length - scope.length) : own
  return address.startsWith(resolved.basePath)
    ? top + address.slice(resolved.basePath.length)
    : address
}
