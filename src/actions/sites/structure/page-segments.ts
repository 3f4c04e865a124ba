import { foldSegment } from '../../../content/site/path.ts'
import type { Context } from '../../../context.ts'
import type { SiteRow, SpaceRow } from '../../../store/tables/rows.ts'
import { primaryHead } from '../../heads/primary-head.ts'
import { viewRevision } from '../../revisions/view-revision.ts'
import { viewSite } from '../view-site.ts'

/**
 * Returns the folded first segments of the pages directly below the base of a site: those of its
 * default space, or of `first` if the site shows no space. The derived path of a new section or
 * variant avoids them: it would hide these pages.
 */
export async function pageSegments(
  ctx: Context,
  site: SiteRow,
  first?: SpaceRow,
): Promise<Set<string>> {
  const { siteSpaces } = viewSite(ctx, site, { sees: () => true, seesEmpty: true })
  const space = siteSpaces.find(({ path }) => path === '')?.space ?? first
  if (!space) return new Set()
  const { head } = await primaryHead(ctx, space)
  const { content } = await viewRevision(ctx, space.id, head)
  const segments = content.pages.map(({ path }) => path.split('/', 1)[0] as string)
  return new Set(segments.filter(segment => segment !== '').map(foldSegment))
}
