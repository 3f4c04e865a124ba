import { isForMembers } from '../../access/site-roles.ts'
import {
  loginAddress,
  type ResolvedContent,
  withoutSignIn,
} from '../../actions/sites/resolve-address.ts'
import type { Context } from '../../context.ts'
import type { Fault } from '../../errors.ts'
import { rememberedVisitorAuth } from '../../store/sites/visitor-auth.ts'
import { longestLocation, signInOf, signInTo } from '../../ui/serving/sign-in.ts'

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
  const isForVisitors =
    (site.visibility === 'visitor-auth' || site.adaptive === 1) && !isForMembers(site)
  const fallback = isForVisitors ? rememberedVisitorAuth(ctx.store, site)?.fallback_url : undefined
  if (fallback) return loginAddress(fallback, path)

  const own = new URL(ctx.publicUrl())
  const root = own.pathname.replace(/\/$/, '')
  const isHere = new URL(address).origin === own.origin
  const base = isHere ? siteBasePath : `${root}/~preview/${site.id}/`
  const target = new URL(base + path, own)
  const isInside = target.origin === own.origin && target.pathname.startsWith(base)
  const back = isInside ? target.pathname + target.search : base

  return signInOf(own, back.startsWith(`${root}/`) ? back.slice(root.length) : '/')
}

/**
 * Returns the refusal of an address that may be that of a site for members or of a preview: the way
 * to sign in is `detail.signIn`. It is the same for addresses that lead nowhere, so that it
 * does not reveal which sites exist. Undefined for other addresses. The session belongs to the host
 * of the server: from other hosts, the sign-in leads to the list of the user's sites.
 */
export function signInToRead(ctx: Context, address: string): Fault | undefined {
  const [own, asked] = [new URL(ctx.publicUrl()), new URL(address)]
  const root = own.pathname.replace(/\/$/, '')
  const isHere = own.origin === asked.origin
  const path = asked.pathname.slice(root.length)
  if (isHere && !/^\/(?:sites|~preview)\/./.test(path)) return undefined

  // The key of a preview has no place in the address of the sign-in, which proxies log.
  asked.searchParams.delete('token')

  return signInTo(ctx, isHere ? path + asked.search : '/')
}
