import type { Context } from '../../context.ts'
import { exchange } from '../../net/exchange.ts'
import { outgoingRoute } from '../outgoing-route.ts'

/** The largest document of a provider: its settings, keys and tokens are a few KB. */
const mostBytes = 512 * 1024

/**
 * Returns a function that sends requests to the identity providers of an organization, like all
 * outgoing requests.
 */
export const sendToProvider =
  (ctx: Context, organization: string) =>
  (url: URL, { headers, body }: { headers: Record<string, string>; body?: Buffer | undefined }) =>
    exchange(url, outgoingRoute(ctx, { organization }), { headers, body, mostBytes })
