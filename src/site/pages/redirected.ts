import { isPreview } from '../../access/reader.ts'
import { followRedirect, lookingAsReader } from '../../actions/audience/follow-redirect.ts'
import type { SitePlace } from '../place/place.ts'

/**
 * An address that the browser is sent to, below the base of the site or elsewhere, with 307 unless
 * a status is given.
 */
export type Redirect = { redirect: string; isExternal?: boolean; status?: number }

/**
 * Returns where the redirects of the site send a path without a page; undefined if they do not. The
 * base of a site space is never redirected: redirects lead there.
 */
export async function redirectedBySite(place: SitePlace): Promise<Redirect | undefined> {
  const { ctx, reader, view, base, siteBase, path, signal } = place
  if (path === '') return undefined
  const segments = [
    ...decodeURIComponent(base.slice(siteBase.length)).split('/').filter(Boolean),
    ...path.split('/'),
  ]

  const found = await followRedirect(
    ctx,
    await lookingAsReader(ctx, reader, { signal }, view),
    segments,
  )
  if (!found) return undefined

  // A browser keeps a permanent redirect: only what holds for everybody may be one.
  const isForAll = /^(?:public|unlisted)$/.test(view.site.visibility) && !isPreview(reader)
  const status = found.row.permanent === 1 && isForAll ? { status: 308 } : {}

  return found.kind === 'external'
    ? { redirect: found.url, isExternal: true, ...status }
    : { redirect: siteBase + found.path, ...status }
}

/** Parameters of a request that concern the site alone: claims and tokens of the reader. */
const own = /^(?:jwt_token$|visitor(?:\.|$))/

/**
 * Returns the address of a redirect with the query of the request; no token and no claim leaves the
 * site.
 */
export function withQuery(
  { redirect, isExternal }: Redirect,
  search: string,
  isPreview: boolean,
): string {
  if (!isExternal) return redirect.replace(/(?=#)|$/, () => search)
  if (search === '') return redirect
  const url = new URL(redirect)
  for (const [name, value] of new URLSearchParams(search))
    if (!own.test(name) && !(isPreview && name === 'token')) url.searchParams.append(name, value)
  return url.href
}
