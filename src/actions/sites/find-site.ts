import { isForMembers } from '../../access/site-roles.ts'
import type { Address } from '../../content/site/address.ts'
import { foldSegment } from '../../content/site/path.ts'
import type { Context } from '../../context.ts'
import { findOrganization, findOrganizationByHostname } from '../../store/people/organizations.ts'
import { findAlias } from '../../store/sites/aliases.ts'
import {
  findSite,
  findSiteByBasename,
  findSiteByHostname,
  findSiteByProxyOrigin,
  listProxiesOnHost,
} from '../../store/sites/sites.ts'
import type { OrganizationRow, SiteRow } from '../../store/tables/rows.ts'
import { baseOfSite, siteBase } from './addresses.ts'

/** The site that an address leads to. */
export type SiteAt = {
  site: SiteRow
  /** The number of segments of the address before the path below the site. */
  length: number
  /** The base of the site's addresses, to which redirects lead, with a trailing slash. */
  base: string
  /** Whether the site's base is another one than that of the address. */
  moved: boolean
  /** Whether it is an address for previews. */
  preview: boolean
}

/** The maximum number of segments in a proxy origin. */
const deepestProxy = 8

/**
 * Returns the site that an address leads to, as the inverse of `siteBase`; the default site of an
 * organization for the address of the organization. It may be unpublished.
 */
export function findSiteAt(ctx: Context, address: Address): SiteAt | undefined {
  const host = address.port === '' ? address.host : `${address.host}:${address.port}`
  for (const root of rootsOf(ctx)) {
    if (host === root.host && startsWith(address.segments, root.server)) {
      const found = findById(ctx, root, address.segments)
      if (found) return found
    }

    if (host === root.host && startsWith(address.segments, root.segments)) {
      const found = findBelow(ctx, root, address.segments)
      if (found) return found
    }

    const name = root.ofOrganizations && subdomainOf(host, root.host)
    if (name) return findOnSubdomain(ctx, root, name, address.segments)
  }

  return address.port === '' ? findOnOwnHost(ctx, address) : undefined
}

/** Returns whether a host is that of the server, of all sites, or of a site of its own. */
export function isHostOfSites(ctx: Context, { host: name, port }: Address): boolean {
  const host = port === '' ? name : `${name}:${port}`
  const isRoot = rootsOf(ctx).some(
    root => host === root.host || (root.ofOrganizations && subdomainOf(host, root.host)),
  )
  return (
    isRoot ||
    (port === '' &&
      (findSiteByHostname(ctx.store, name) !== undefined ||
        listProxiesOnHost(ctx.store, name).length > 0))
  )
}

/** Returns whether an address is below a place where all addresses are those of sites. */
export function isWithinSites(ctx: Context, { host: name, port, segments }: Address): boolean {
  const host = port === '' ? name : `${name}:${port}`
  const [server] = rootsOf(ctx) as [Root]
  return rootsOf(ctx).some(
    root =>
      (root.ofOrganizations && subdomainOf(host, root.host) !== undefined) ||
      (host === root.host &&
        (root.segments.length > 0 || host !== server.host) &&
        startsWith(segments, root.segments)),
  )
}

/** Returns whether a port may be part of an address: '', or one that the settings name. */
export const isKnownPort = (ctx: Context, port: string): boolean =>
  port === '' || rootsOf(ctx).some(root => new URL(root.origin).port === port)

/**
 * Returns the base of the addresses that belong to all sites, such as those for previews, without a
 * trailing slash.
 */
export function sitesServerBase(ctx: Context): string {
  const { origin, server } = rootsOf(ctx).at(-1) as Root
  return [origin, ...server].join('/')
}

/** Returns the base of the addresses for previews of a site. */
export const previewBase = (ctx: Context, { id }: Pick<SiteRow, 'id'>): string =>
  `${sitesServerBase(ctx)}/~preview/${id}/`

/** A place below which addresses of sites lie: `<origin>/<segments>/<organization>/<basename>/`. */
type Root = {
  /** With `{org}.` in front of the host taken away, if `ofOrganizations`. */
  origin: string
  host: string
  /** The segments in front of the organization. */
  segments: readonly string[]
  /** The segments of the server itself, in front of `~site` and `~preview`. */
  server: readonly string[]
  /** Organizations with a hostname have hosts of their own below the root's. */
  ofOrganizations: boolean
}

/** The roots by the settings that they come from, which hardly ever change. */
const rootsBySettings = new Map<string, readonly Root[]>()

function rootsOf({
  config: { sitesUrl },
  publicUrl,
}: Pick<Context, 'config' | 'publicUrl'>): readonly Root[] {
  const base = publicUrl()
  const key = `${base} ${sitesUrl}`
  const known = rootsBySettings.get(key)
  if (known) return known

  const { origin, host, pathname } = new URL(base)
  const server = pathname.split('/').filter(Boolean)
  const roots: Root[] = [
    { origin, host, segments: [...server, 'sites'], server, ofOrganizations: false },
  ]

  if (sitesUrl !== undefined) {
    const ofOrganizations = sitesUrl.includes('{org}')
    const sites = new URL(sitesUrl.replace('{org}.', ''))
    roots.push({
      origin: sites.origin,
      host: sites.host,
      segments: [],
      server: [],
      ofOrganizations,
    })
  }

  if (rootsBySettings.size > 100) rootsBySettings.clear()
  rootsBySettings.set(key, roots)

  return roots
}

const startsWith = (segments: readonly string[], start: readonly string[]): boolean =>
  start.every((segment, at) => segments[at] === segment)

/** Returns the name in front of a host; undefined if it is not exactly one label. */
function subdomainOf(host: string, root: string): string | undefined {
  if (!host.endsWith(`.${root}`)) return undefined
  const name = host.slice(0, -root.length - 1)
  return name.includes('.') ? undefined : name
}

/** Finds the site of `~site/<id>`, to which proxies send requests, and of `~preview/<id>`. */
function findById(
  ctx: Context,
  { origin, server }: Root,
  segments: readonly string[],
): SiteAt | undefined {
  const [kind = '', id] = segments.slice(server.length)
  if ((kind !== '~site' && kind !== '~preview') || id === undefined) return undefined
  const site = findSite(ctx.store, id)
  if (!site) return undefined

  const preview = kind === '~preview'
  const length = server.length + 2
  const base = preview
    ? [origin, ...server, '~preview', site.id, ''].join('/')
    : baseOfSite(ctx, site)

  return { site, length, base, moved: !preview && site.proxy_origin === null, preview }
}

/** Finds the site of an organization and a basename below a root. */
function findBelow(ctx: Context, root: Root, segments: readonly string[]): SiteAt | undefined {
  const at = root.segments.length
  const name = segments[at]
  if (name === undefined) return undefined

  const organization = ctx.store.remember(
    `organization at ${name}`,
    () =>
      findOrganization(ctx.store, name) ??
      findOrganizationByHostname(ctx.store, name.toLowerCase()),
  )

  return (
    organization && findInOrganization(ctx, root.origin, organization, { segments, at: at + 1 })
  )
}

function findOnSubdomain(
  ctx: Context,
  { origin, host }: Root,
  name: string,
  segments: readonly string[],
): SiteAt | undefined {
  const organization = findOrganizationByHostname(ctx.store, name)
  const own = origin.replace(`//${host}`, `//${name}.${host}`)
  return organization && findInOrganization(ctx, own, organization, { segments, at: 0 })
}

/**
 * Finds the site with the basename at a position, which may be a former one; without a segment
 * there, the default site.
 */
function findInOrganization(
  ctx: Context,
  origin: string,
  organization: OrganizationRow,
  { segments, at }: { segments: readonly string[]; at: number },
): SiteAt | undefined {
  const given = segments[at]
  const site =
    given === undefined ? defaultSite(ctx, organization) : findNamed(ctx, organization, given)
  if (!site) return undefined
  const length = Math.min(at + 1, segments.length)
  const path = segments.slice(0, length).map(segment => `${encodeURIComponent(segment)}/`)
  const base = siteBase(ctx, site, organization)
  return { site, length, base, moved: `${origin}/${path.join('')}` !== base, preview: false }
}

function findNamed(
  { store }: Context,
  { id }: OrganizationRow,
  given: string,
): SiteRow | undefined {
  const basename = foldSegment(given)
  const site = store.remember(
    `site at ${id} ${basename}`,
    () => findSiteByBasename(store, id, basename),
    {
      organizationId: id,
    },
  )
  if (site) return site

  const alias = findAlias(
    store,
    { organizationId: id, siteId: null, scope: 'organization' },
    basename,
  )

  return alias && findSite(store, alias.target_id)
}

/** Returns whether strangers may learn that a site exists: who reads it may depend on a sign-in. */
export const isKnownToAll = (site: SiteRow): boolean =>
  site.visibility !== 'share-link' && !isForMembers(site)

/** Returns the site that the address of an organization leads to. */
function defaultSite(
  { store }: Context,
  { id, default_content }: OrganizationRow,
): SiteRow | undefined {
  const site = default_content ? findSite(store, default_content.site) : undefined
  return site?.organization_id === id && isKnownToAll(site) ? site : undefined
}

/** Finds a site by its proxy origin, the longest first, or its hostname. */
function findOnOwnHost(ctx: Context, { host, segments }: Address): SiteAt | undefined {
  for (let length = Math.min(segments.length, deepestProxy); length > 0; length--) {
    const site = findSiteByProxyOrigin(ctx.store, [host, ...segments.slice(0, length)].join('/'))
    if (site) return atOwnBase(ctx, site, `https://${site.proxy_origin}/`, length)
  }
  const site = findSiteByHostname(ctx.store, host)
  return site && atOwnBase(ctx, site, `https://${site.hostname}/`, 0)
}

function atOwnBase(ctx: Context, site: SiteRow, given: string, length: number): SiteAt {
  const base = baseOfSite(ctx, site)
  return { site, length, base, moved: given !== base, preview: false }
}
