import type { z } from 'zod'
import type { Looking } from '../../../actions/audience/destination.ts'
import { followRedirect } from '../../../actions/audience/follow-redirect.ts'
import { baseOfSite } from '../../../actions/sites/addresses.ts'
import { previewBase } from '../../../actions/sites/find-site.ts'
import { segmentsOfSource } from '../../../content/site/redirect-source.ts'
import type { Context } from '../../../context.ts'
import { Fault } from '../../../errors.ts'
import { findShareLink } from '../../../store/sites/share-links.ts'
import { activeShareKey } from '../load-share-key.ts'
import { presentRedirect } from './present.ts'
import type { ResolvedSiteRedirect, SiteRedirectQuery } from './schema.ts'

/**
 * Returns the redirect from a path of a site with the address of its destination. Throws 'missing'
 * if there is none or its destination is gone or hidden from the caller, with the same message.
 */
export async function resolveRedirect(
  ctx: Context,
  looking: Looking,
  { source, shareKey }: z.output<typeof SiteRedirectQuery>,
): Promise<z.input<typeof ResolvedSiteRedirect>> {
  const found = await followRedirect(ctx, looking, segmentsOfSource(source))
  if (!found)
    throw new Fault(
      'not_found',
      `The site has no redirect from "${source}", or you may not see where it leads.`,
    )

  const target =
    found.kind === 'external' ? found.url : baseFor(ctx, looking, shareKey) + found.path

  return { redirect: presentRedirect(found.row), target }
}

/**
 * Returns the base of the site's addresses for a caller: that of previews, or with the key of a
 * share link.
 */
function baseFor(
  ctx: Context,
  { view: { site }, shareLinkId, isPreview }: Looking,
  key?: string,
): string {
  if (isPreview) return previewBase(ctx, site)
  const base = baseOfSite(ctx, site)
  if (site.visibility !== 'share-link') return base
  const link =
    shareLinkId === undefined ? undefined : findShareLink(ctx.store, site.id, shareLinkId)
  if (link) return `${base}${ctx.keys.open('share link', link.key_sealed)}/`
  const active = activeShareKey(ctx, site, key)
  return active === undefined ? base : `${base}${active}/`
}
