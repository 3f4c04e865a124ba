import type { Context } from '../../context.ts'
import { Fault, invalid, missing } from '../../errors.ts'
import { countRedirects, findRedirectFrom } from '../../store/sites/redirects.ts'
import type { SiteRedirectRow, SiteRow } from '../../store/tables/rows.ts'
import type { RedirectDestination } from '../../store/tables/sites.ts'
import type { SiteView } from '../sites/view-site.ts'
import { isOwn, type Looking, pathTo } from './destination.ts'

/** The maximum number of redirects of a site. */
export const mostRedirects = 10_000

/** Throws 'missing' for a page that does not exist or that the caller may not see. */
export async function checkPage(
  ctx: Context,
  looking: Looking,
  destination: RedirectDestination | undefined,
): Promise<void> {
  if (destination?.kind !== 'site-page') return
  checkDestination(ctx, looking.view, destination)
  if ((await pathTo(ctx, looking, destination)) === undefined)
    throw missing('page', destination.pageId)
}

/**
 * Throws 'missing' for a section or site space that the caller does not see, 'invalid' for an
 * address of the site itself. Call it inside the transaction that writes the redirect.
 */
export function checkDestination(
  ctx: Context,
  view: SiteView,
  destination: RedirectDestination,
): void {
  if (destination.kind === 'external') {
    if (!isOwn(ctx, view.site, destination.url)) return
    throw invalid(
      `"${destination.url.slice(0, 200)}" is an address of the site itself. Redirect to the section, site space or page.`,
    )
  }

  const isSection = destination.kind === 'site-section'
  const id = isSection ? destination.siteSectionId : destination.siteSpaceId
  const seen = isSection ? view.sections : view.siteSpaces
  if (!seen.some(({ row }) => row.id === id))
    throw missing(isSection ? 'section' : 'site space', id)
}

/** Throws 'conflict' if a redirect (or draft) other than `own` leads from this path. */
export function checkSource(
  { store }: Context,
  site: SiteRow,
  { source, source_folded, draft }: Pick<SiteRedirectRow, 'source' | 'source_folded' | 'draft'>,
  own?: string,
): void {
  const other = findRedirectFrom(store, site.id, draft, source_folded)
  if (other && other.id !== own) throw sourceTaken(source, draft)
}

/** Returns the fault for a path from which another redirect leads. */
export const sourceTaken = (source: string, draft: number): Fault =>
  new Fault(
    'path_in_use',
    `The site already has a ${draft === 1 ? 'draft of a ' : ''}redirect from "${source}", or from another spelling of it.`,
  )

/** Throws 'invalid' for a redirect that appends what a wildcard matches, without a wildcard. */
export function checkWildcard({
  source,
  capture_wildcard,
}: Pick<SiteRedirectRow, 'source' | 'capture_wildcard'>): void {
  if (capture_wildcard === 1 && !source.endsWith('*'))
    throw invalid(
      `"captureWildcard" needs a source that ends with "*"; "${source}" does not. Leave it out.`,
    )
}

/** Throws 'conflict' if the site has the maximum number of redirects. */
export function checkRoom({ store }: Context, site: SiteRow): void {
  if (countRedirects(store, site.id) >= mostRedirects)
    throw new Fault(
      'limit_reached',
      `The site has ${mostRedirects} redirects, which is the limit. Delete one first.`,
    )
}
