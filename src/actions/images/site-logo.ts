import { stateSlot } from '../../caches.ts'
import type { Context } from '../../context.ts'
import { BoundedCache } from '../../lib/bounded-cache.ts'
import { fetchUrl } from '../../net/fetch-url.ts'
import { outgoingRoute } from '../outgoing-route.ts'

const megabyte = 1024 ** 2
/** The largest logo, and the most bytes of logos in memory. */
const mostBytes = megabyte
const mostKept = 8 * megabyte
/** The estimated weight of an entry beside its bytes. */
const entryBytes = 500
/** How long a logo is used, and how long one that could not be fetched is not asked for again. */
const keptMs = 3_600_000
const limits = { mostBytes, headersMs: 4_000, allMs: 6_000 }

type Fetched = { until: number; bytes: Buffer | undefined }

const fetched = stateSlot(() => new BoundedCache<string, Fetched>(mostKept))

/**
 * Returns the logo of a site of an organization, which its settings name by address; undefined if
 * it cannot be fetched.
 */
export async function siteLogo(
  ctx: Context,
  organization: string,
  address: string,
  signal: AbortSignal,
): Promise<Buffer | undefined> {
  const kept = ctx.caches.get(fetched)
  const known = kept.get(address)
  if (known && known.until > performance.now()) return known.bytes

  const bytes = await fetchUrl(address, outgoingRoute(ctx, { organization }), {
    ...limits,
    stop: signal,
  }).then(
    each => each.bytes,
    error => {
      signal.throwIfAborted()
      ctx.log.info({ err: error, organization }, 'the logo of a site could not be fetched')
      return undefined
    },
  )

  kept.set(
    address,
    { until: performance.now() + keptMs, bytes },
    address.length + entryBytes + (bytes?.length ?? 0),
  )

  return bytes
}
