import type { Reader, RequestFacts } from '../../access/asker.ts'
import { isPreview } from '../../access/reader.ts'
import type { Context } from '../../context.ts'
import { findRedirectFrom } from '../../store/sites/redirects.ts'
import type { SiteRedirectRow } from '../../store/tables/rows.ts'
import { viewForReader } from '../sites/view-for-reader.ts'
import type { SiteView } from '../sites/view-site.ts'
import { isOwn, type Looking, pathTo } from './destination.ts'

/**
 * A redirect, and where it leads: to an encoded path below the base of the site, or to an address
 * elsewhere.
 */
type Redirected = { row: SiteRedirectRow } & (
  | { kind: 'path'; path: string }
  | { kind: 'external'; url: string }
)

/**
 * Returns where the redirect from a path of a site leads for a caller; undefined if there is none,
 * or if its destination is gone or hidden from the caller. `source` is the folded path below the
 * base of the site, with a slash in front.
 */
export async function followRedirect(
  ctx: Context,
  looking: Looking,
  source: string,
): Promise<Redirected | undefined> {
  const { site } = looking.view
  const row = findRedirectFrom(ctx.store, site.id, source)
  if (!row) return undefined

  const { destination } = row

  if (destination.kind === 'external') {
    const { url } = destination
    // The site may have got the address since the redirect was made.
    return isOwn(ctx, site, url) ? undefined : { row, kind: 'external', url }
  }

  const path = await pathTo(ctx, looking, destination)

  return path === undefined ? undefined : { row, kind: 'path', path }
}

/** Returns how a reader sees a site and reads the content of its spaces. */
export async function lookingAsReader(
  ctx: Context,
  reader: Reader,
  request: Pick<RequestFacts, 'signal'>,
  known?: SiteView,
): Promise<Looking> {
  return {
    view: known ?? (await viewForReader(ctx, reader)).view,
    grant: space => ({ space, reader, scope: { kind: 'space' } }),
    shareLinkId: reader.shareLinkId,
    isPreview: isPreview(reader),
    request,
  }
}
