import { baseOfSite } from '../../actions/sites/addresses.ts'
import { findSiteAt, isKnownToAll } from '../../actions/sites/find-site.ts'
import { parseAddress } from '../../content/site/address.ts'
import { agentNames } from '../../content/site/agents.ts'
import type { Context } from '../../context.ts'
import { listPublicSites } from '../../store/sites/sites.ts'
import type { SiteRow } from '../../store/tables/rows.ts'
import { serverPath } from '../../ui/serving/server-path.ts'
import { type CrawlerRules, pagesOnly, robotsText } from '../programs/robots.ts'
import { madeText, type SiteResponse } from '../sending/made.ts'

const robotsName = 'robots.txt'

/** The largest number of sites in the text of a server. */
const mostNamed = 500

/**
 * Returns `robots.txt` of a site. `url` is the base of its addresses, `path` the path of that base.
 */
export function robotsOfSite(
  { visibility, agents_context }: Pick<SiteRow, 'visibility' | 'agents_context'>,
  { url, path }: { url: string; path: string },
): SiteResponse {
  const everyone = { agents: ['*'], allow: [], disallow: [path] }
  if (visibility !== 'public') return madeText(robotsText([everyone], []), 'text/plain')
  const { allow, disallow } = pagesOnly(path)
  const refused =
    agents_context === 'excluded' ? agentNames.map(name => ({ ...everyone, agents: [name] })) : []
  const rules = [{ agents: ['*'], allow: [path, ...allow], disallow }, ...refused]
  return madeText(robotsText(rules, [`${url}sitemap.xml`]), 'text/plain')
}

/**
 * Answers with `robots.txt` of a site or of the server, without a sign-in, because crawlers cannot
 * sign in. Returns undefined for other addresses, and for sites that strangers may not know of.
 */
export function answerRobots(ctx: Context, address: string): SiteResponse | undefined {
  const { pathname, origin } = new URL(address)
  if (!pathname.endsWith(`/${robotsName}`)) return undefined
  const parsed = parseAddress(address)
  const at = findSiteAt(ctx, parsed)

  if (!at) {
    const isRoot = pathname === `/${robotsName}` || pathname === serverPath(ctx) + robotsName
    return isRoot && isOfServer(ctx, origin) ? robotsOfServer(ctx, origin) : undefined
  }

  const { site, base, length, moved, preview } = at
  const isOfSite =
    parsed.segments.length === length + 1 && site.published === 1 && !moved && !preview
  if (!isOfSite || !isKnownToAll(site)) return undefined

  return robotsOfSite(site, { url: base, path: new URL(base).pathname })
}

/** Returns whether an origin is that of the server, or one that its settings name for sites. */
function isOfServer({ config: { sitesUrl }, publicUrl }: Context, origin: string): boolean {
  if (origin === new URL(publicUrl()).origin) return true
  if (sitesUrl === undefined) return false
  const root = new URL(sitesUrl.replace('{org}.', ''))
  return origin === root.origin || (sitesUrl.includes('{org}') && origin.endsWith(`.${root.host}`))
}

/** Returns the text for crawlers at the root of an origin. It names public sites only. */
function robotsOfServer(ctx: Context, origin: string): SiteResponse {
  const path = serverPath(ctx)
  const sites = listPublicSites(ctx.store, mostNamed)
    .map(site => ({ site, base: baseOfSite(ctx, site) }))
    .filter(({ base }) => new URL(base).origin === origin)
  const rules = pagesOnly('/*/')
  const api = [`${path}v1/`, `${path}sso/`]
  const everyone: CrawlerRules = {
    agents: ['*'],
    allow: rules.allow,
    disallow: [...rules.disallow, ...api],
  }
  const closed = sites.filter(({ site }) => site.agents_context === 'excluded')
  const paths = closed.map(({ base }) => new URL(base).pathname)

  // A crawler that is named in a group of rules ignores the group for all crawlers.
  const agents = { ...everyone, agents: agentNames, disallow: [...everyone.disallow, ...paths] }
  const text = robotsText(
    closed.length > 0 ? [everyone, agents] : [everyone],
    sites.map(({ base }) => `${base}sitemap.xml`),
  )

  return madeText(text, 'text/plain')
}
