import type { LookupAddress } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import { Fault } from '../errors.ts'
import { isAllowedAddress, isAllowedPort } from '../lib/public-address.ts'
import type { NameResolver } from './resolver.ts'

/** How requests leave this server. */
export type Route = {
  names: NameResolver
  /** Returns whether the operator allows addresses outside the public internet. */
  allowPrivate: boolean
  /**
   * The user or organization that the request is for: each share has a bounded number of concurrent
   * name lookups.
   */
  share: string
}

const blocked = (url: URL) =>
  new Fault(
    'address_not_allowed',
    `${url.host} has a private or reserved address, or an address of this server, which is not allowed`,
  )

const bareHost = (url: URL): string => url.hostname.replace(/^\[|\]$/g, '')

/**
 * Returns request options that enforce the route: every address of the host is checked, and the
 * connection goes to a checked one. Throws 'invalid' for an IP address that is not public and for a
 * port of another protocol.
 */
export function publicConnection(url: URL, route: Route): { lookup: LookupFunction } {
  if (!isAllowedPort(url))
    throw new Fault(
      'address_not_allowed',
      `${url.host} has a port that is reserved for another protocol than HTTP`,
    )
  const bare = bareHost(url)

  // Node calls `lookup` for names only.
  if (!route.allowPrivate && isIP(bare) && !isAllowedAddress(bare)) throw blocked(url)

  return {
    lookup: (hostname, options, callback) => {
      resolveAllowed(url, hostname, route).then(
        found => {
          const first = found[0] as LookupAddress
          if (options.all) callback(null, found)
          else callback(null, first.address, first.family)
        },
        (error: NodeJS.ErrnoException) => callback(error, ''),
      )
    },
  }
}

/**
 * Throws 'invalid' for a host or port that requests must not go to. A name that cannot be resolved
 * at the moment passes: each connection checks it again.
 */
export async function checkPublicHost(url: URL, route: Route): Promise<void> {
  publicConnection(url, route)
  if (route.allowPrivate || isIP(bareHost(url))) return
  const found = await route.names
    .resolve(url.hostname, route.share)
    .catch((): LookupAddress[] => [])
  if (!found.every(({ address }) => isAllowedAddress(address))) throw blocked(url)
}

async function resolveAllowed(url: URL, hostname: string, route: Route): Promise<LookupAddress[]> {
  const found = await route.names.resolve(hostname, route.share)
  if (!route.allowPrivate && !found.every(({ address }) => isAllowedAddress(address)))
    throw blocked(url)
  return found
}
