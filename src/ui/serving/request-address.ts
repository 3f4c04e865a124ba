import { isIP } from 'node:net'
import type { Request } from 'express'
import type { Context } from '../../context.ts'
import { Fault } from '../../errors.ts'
import { isProxy } from '../../http/limits/client-address.ts'
import { serverPath } from './server-path.ts'

const loopback = /^(?:localhost|127\.0\.0\.1|\[::1\])$/

/**
 * Returns the address of a request as the site structure knows it. The host of the public URL
 * stands for it, and so do all names of this machine while it is one of them, and IP addresses
 * while no public URL is set; other hosts are those of sites, which are served over https. Throws
 * 'invalid' for a host that no address can have.
 */
export function addressOf(ctx: Context, req: Request): string {
  const own = new URL(ctx.publicUrl())
  const host = withKnownPort(ctx, req, (req.headers.host ?? own.host).toLowerCase())
  const isOwn =
    host === own.host ||
    (loopback.test(own.hostname) && isThisMachine(host, own)) ||
    (ctx.config.publicUrl === undefined && isAddress(host))
  const scheme = schemeOfSites(ctx, host)
  const path = pathIn(req.originalUrl)
  const ownPath = scheme === undefined ? withServerPath(ctx, path) : path
  const address = isOwn ? own.origin + ownPath : `${scheme ?? 'https:'}//${host}${path}`
  if (!URL.canParse(address))
    throw new Fault('malformed_request', 'The header "Host" does not contain a valid host.')

  return address
}

/** Returns whether an address is on the host of the server: other hosts of sites get no session. */
export const isOnServer = (ctx: Context, address: string): boolean =>
  new URL(address).origin === new URL(ctx.publicUrl()).origin

/**
 * Returns the host of a request with the port that the settings name for it, if the request comes
 * from a trusted proxy: proxies drop the port, or pass on the one that they listen on.
 */
function withKnownPort(ctx: Context, req: Request, host: string): string {
  if (!isProxy(req.socket.remoteAddress ?? '', ctx.config.trustProxy)) return host
  const { name } = partsOf(host)
  const sites = urlOfSites(ctx)
  const named = [new URL(ctx.publicUrl()), ...(sites ? [sites] : [])].filter(
    ({ hostname }) => name === hostname || name.endsWith(`.${hostname}`),
  )
  const ports = new Set(named.map(({ port }) => port))
  if (ports.size > 1) return host
  const [port = ''] = ports
  return port === '' ? name : `${name}:${port}`
}

/**
 * Returns the target of a request without the origin that clients of proxies put in front of it.
 */
function pathIn(target: string): string {
  const path = target.replace(/^https?:\/\/[^/?#]*/i, '')
  return path.startsWith('/') ? path : `/${path}`
}

/**
 * Returns a path on the host of the server below the path of its public URL, which some proxies
 * take away.
 */
function withServerPath(ctx: Context, path: string): string {
  const server = serverPath(ctx)
  const [pathname = ''] = path.split(/[?#]/, 1)
  return `${pathname}/`.startsWith(server) ? path : server.slice(0, -1) + path
}

/** Returns a host as its name and its port; IPv6 addresses are in brackets. */
function partsOf(host: string): { name: string; port: string } {
  const [, name = '', port = ''] = /^(\[[^\]]*\]|[^:]*)(?::(\d+))?$/.exec(host) ?? []
  return { name, port }
}

/** Returns whether a host is an IP address, which no other site can take as its name. */
const isAddress = (host: string): boolean => isIP(partsOf(host).name.replace(/^\[|\]$/g, '')) !== 0

function isThisMachine(host: string, own: URL): boolean {
  const { name, port } = partsOf(host)
  return loopback.test(name) && port === own.port
}

/** Returns the scheme of the host that the settings name for sites; undefined for other hosts. */
function schemeOfSites(ctx: Context, host: string): string | undefined {
  const url = urlOfSites(ctx)
  return url && (host === url.host || host.endsWith(`.${url.host}`)) ? url.protocol : undefined
}

/** Returns the URL of sites, without the name of an organization in front; undefined if not set. */
const urlOfSites = ({ config: { sitesUrl } }: Context): URL | undefined =>
  sitesUrl === undefined ? undefined : new URL(sitesUrl.replace('{org}.', ''))
