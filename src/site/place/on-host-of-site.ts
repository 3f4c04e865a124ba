import type { Request } from 'express'
import { findSiteAt } from '../../actions/sites/find-site.ts'
import { parseAddress } from '../../content/site/address.ts'
import type { Context } from '../../context.ts'
import { Fault } from '../../errors.ts'
import { addressOf, isOnServer } from '../../ui/serving/request-address.ts'

/** The last public URL and its host, which every request is compared with. */
let own = { url: '', host: '' }

function hostOf(url: string): string {
  if (url !== own.url) own = { url, host: new URL(url).host }
  return own.host
}

/**
 * Returns whether a request is for a site on another host than the server's: there, every path is the
 * site's, also those that the server has addresses of its own at.
 */
export function isOnHostOfSite(ctx: Context, req: Request): boolean {
  if (req.headers.host === hostOf(ctx.publicUrl())) return false

  try {
    const address = addressOf(ctx, req)
    return !isOnServer(ctx, address) && findSiteAt(ctx, parseAddress(address)) !== undefined
  } catch (error) {
    if (error instanceof Fault) return false
    throw error
  }
}
