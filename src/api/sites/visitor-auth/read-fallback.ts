import { findSiteAt } from '../../../actions/sites/find-site.ts'
import { parseAddress } from '../../../content/site/address.ts'
import type { Context } from '../../../context.ts'
import { invalid } from '../../../errors.ts'
import type { SiteRow } from '../../../store/tables/rows.ts'

const loopback = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/

/**
 * Returns the address to which visitors of a site are sent to sign in. Throws 'invalid' for one
 * that is not https (or http on this machine), has credentials or a "location", or is an address of
 * the same site, which would lead back.
 */
export function readFallback(ctx: Context, site: SiteRow, text: string): string {
  const url = new URL(text)
  if (url.protocol !== 'https:' && !loopback.test(url.hostname))
    throw invalid('"fallbackURL" must begin with "https://".')
  if (url.username !== '' || url.password !== '')
    throw invalid('"fallbackURL" contains a user name or a password. Remove it.')

  if (url.searchParams.has('location'))
    throw invalid(
      '"fallbackURL" has the query parameter "location", which the server adds. Remove it.',
    )

  if (findSiteAt(ctx, parseAddress(text))?.site.id === site.id)
    throw invalid(
      '"fallbackURL" is an address of the site itself. Use the address of your sign-in page.',
    )

  return text
}
