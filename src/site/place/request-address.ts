import { isIP } from 'node:net'
import type { Request } from 'express'
import type { Context } from '../../context.ts'

const loopback = /^(?:localhost|127\.0\.0\.1|\[::1\])$/

/**
 * Returns the address of a request as the site structure knows it. The host of the public URL stands for it, and so do all
 * names of this machine while it is one of them, and IP addresses while no public URL is set; other hosts are those of
 * sites, which are served over https.
 */
export function addressOf(ctx: Context, req: Request): string {
  const own = new URL(ctx.publicUrl())
  const host = (req.headers.host ?? own.host).toLowerCase()
  const isOwn =
    host === own.host ||
    (loopback.test(own.hostname) && isThisMachine(host, own)) ||
    (ctx.config.publicUrl === undefined && isAddress(host))
  const scheme = schemeOfSites(ctx, host) ?? 'https:'
  return (isOwn ? own.origin : `${scheme}//${host}`) + req.originalUrl
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
function schemeOfSites({ config: { sitesUrl } }: Context, host: string): string | undefined {
  if (sitesUrl === undefined) return undefined
  const url = new URL(sitesUrl.replace('{org}.', ''))
  return host === url.host || host.endsWith(`.${url.host}`) ? url.protocol : undefined
}
