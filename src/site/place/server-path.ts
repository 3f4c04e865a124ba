import { baseOfSite } from '../../actions/sites/addresses.ts'
import { serverPath } from '../../ui/serving/server-path.ts'
import type { SitePlace } from './place.ts'

/**
 * Returns the path of the server on the host of a place: on other hosts than its own, it has the
 * whole host.
 */
export function serverPathOf({ ctx, siteBase }: Pick<SitePlace, 'ctx' | 'siteBase'>): string {
  const path = serverPath(ctx)
  return siteBase.startsWith(path) ? path : '/'
}

/**
 * Returns the address of a path of the server, such as "/docs", for links on the pages of a place.
 * On other hosts, it is a whole URL.
 */
export function addressOnServer(
  { ctx, view }: Pick<SitePlace, 'ctx' | 'view'>,
  path: string,
): string {
  const isHere = baseOfSite(ctx, view.site).startsWith(`${ctx.publicUrl()}/`)
  return isHere ? serverPath(ctx) + path.slice(1) : ctx.publicUrl() + path
}
