import {
  loginAddress,
  type ResolvedContent,
  withoutSignIn,
} from '../../actions/sites/resolve-address.ts'
import type { Context } from '../../context.ts'
import { rememberedVisitorAuth } from '../../store/sites/visitor-auth.ts'

/** The longest path to which a sign-in returns. */
const longestLocation = 2_000

/**
 * Returns the address at which the reader of a site signs in. Visitors sign in at the address of
 * the company where the site has one and reads their claims; others with the sign-in of this
 * server, for members, which returns to the page: on the host of the server to the page itself, for
 * sites of other hosts to its preview, because other hosts do not get the session.
 */
export function signInAddress(
  ctx: Context,
  { site, siteBasePath }: Pick<ResolvedContent, 'site' | 'siteBasePath'>,
  { address, location }: { address: string; location: string },
): string {
  const path = withoutSignIn(location.slice(0, longestLocation).replace(/^[/\\]+/, ''))
  const isForVisitors = site.visibility === 'visitor-auth' || site.adaptive === 1
  const fallback = isForVisitors ? rememberedVisitorAuth(ctx.store, site)?.fallback_url : undefined
  if (fallback) return loginAddress(fallback, path)

  const own = new URL(ctx.publicUrl())
  const root = own.pathname.replace(/\/$/, '')
  const isHere = new URL(address).origin === own.origin
  const base = isHere ? siteBasePath : `${root}/~preview/${site.id}/`
  const target = new URL(base + path, own)
  const isInside = target.origin === own.origin && target.pathname.startsWith(base)
  const back = isInside ? target.pathname + target.search : base

  // The sign-in takes paths of the server, below the path of its public URL.
  const returnTo = back.startsWith(`${root}/`) ? back.slice(root.length) : '/'

  return `${own.href.replace(/\/$/, '')}/sso/sign-in?${new URLSearchParams({ return_to: returnTo })}`
}
