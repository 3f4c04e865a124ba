import { type LookupAddress, promises } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import { invalid } from '../errors.ts'
import { isAllowedAddress, isAllowedPort } from '../lib/public-address.ts'

/** What the operator allows: with `allowPrivate` addresses of the inner network too. */
export type ConnectionPolicy = { allowPrivate: boolean }

const blocked = (url: URL) =>
  invalid(
    `${url.host} has a private or reserved address, or one of this machine, which this server does not talk to`,
  )

/**
 * The option of a request with which it goes to the public internet alone: each address of the host is checked, and the
 * connection goes to one that was. Throws 'invalid' for an address that is none of the public internet.
 */
export function publicConnection(url: URL, { allowPrivate }: ConnectionPolicy): { lookup?: LookupFunction } {
  if (!isAllowedPort(url)) throw invalid(`${url.host} has a port that belongs to another protocol than HTTP`)
  if (allowPrivate) return {}
  const bare = url.hostname.replace(/^\[|\]$/g, '')
  // Node looks no address up that is one already: it is checked here.
  if (isIP(bare) && !isAllowedAddress(bare)) throw blocked(url)
  return { lookup: publicLookup(url) }
}

/** Throws 'invalid' for a host that has an address which is not public; one that is not known now is let through. */
export async function checkPublicHost(url: URL, policy: ConnectionPolicy): Promise<void> {
  const { lookup } = publicConnection(url, policy)
  if (!lookup || isIP(url.hostname.replace(/^\[|\]$/g, ''))) return
  const found = await promises.lookup(url.hostname, { all: true }).catch((): LookupAddress[] => [])
  if (!found.every(({ address }) => isAllowedAddress(address))) throw blocked(url)
}

/** Resolves a host, and refuses it when any of its addresses is not public. */
const publicLookup =
  (url: URL): LookupFunction =>
  (hostname, options, callback) => {
    promises.lookup(hostname, { all: true, verbatim: true }).then(
      (found: LookupAddress[]) => {
        const [first] = found
        if (!first || !found.every(({ address }) => isAllowedAddress(address))) callback(blocked(url), '')
        else if (options.all) callback(null, found)
        else callback(null, first.address, first.family)
      },
      (error: NodeJS.ErrnoException) => callback(error, ''),
    )
  }
