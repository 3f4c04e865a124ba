import { type Address, parseAddress } from '../../content/site/address.ts'
import type { Context } from '../../context.ts'
import { invalid } from '../../errors.ts'
import { findShareLinkByKey } from '../../store/sites/share-links.ts'
import type { SiteRow } from '../../store/tables/rows.ts'
import { findSiteAt } from './find-site.ts'

/**
 * Returns the parts of an address of a site, with the segments below its base and behind the key of
 * a share link. Throws 'invalid' for an address elsewhere.
 */
export function addressOnSite(ctx: Context, site: SiteRow, text: string): Address {
  const address = parseAddress(text)
  const at = findSiteAt(ctx, address)
  if (at?.site.id !== site.id)
    throw invalid(
      'The address does not belong to the site. Use one of its published addresses or of its preview.',
    )

  const [key, ...behind] = address.segments.slice(at.length)
  const isKey =
    key !== undefined &&
    site.visibility === 'share-link' &&
    findShareLinkByKey(ctx.store, key)?.site_id === site.id
  return { ...address, segments: isKey ? behind : address.segments.slice(at.length) }
}
