import { isHostOfSites } from '../../actions/sites/find-site.ts'
import { stateSlot } from '../../caches.ts'
import { parseAddress } from '../../content/site/address.ts'
import type { Context } from '../../context.ts'
import { Fault } from '../../errors.ts'

/** The hosts that the log has named. A stranger can send any number of others. */
const named = stateSlot(() => new Set<string>())
const mostNamed = 100

/**
 * Returns what an address leads to whose host is neither the server's nor a site's: a fault that
 * names the public URL in `detail.sites`. Returns undefined for a host that is known. The log names
 * each such host once.
 */
export function otherHost(ctx: Context, address: string): Fault | undefined {
  if (isHostOfSites(ctx, parseAddress(address))) return undefined
  const { host } = new URL(address)
  const sites = ctx.publicUrl()
  const told = ctx.caches.get(named)

  if (!told.has(host) && told.size < mostNamed) {
    told.add(host)
    ctx.log.warn(
      { host, publicUrl: sites },
      'a request has a host that is neither that of STEMMA_PUBLIC_URL nor of a site: set STEMMA_PUBLIC_URL to the address that readers use',
    )
  }

  return new Fault(
    'other_host',
    `The sites of this server are at ${sites}. If you run it and it should answer at this address, set STEMMA_PUBLIC_URL to the address.`,
    { sites },
  )
}
