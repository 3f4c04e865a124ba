import { checkRole } from '../../../access/guards/role-now.ts'
import type { Context } from '../../../context.ts'
import { Fault, missing } from '../../../errors.ts'
import { randomId } from '../../../lib/digest.ts'
import { insertSiteSpace } from '../../../store/sites/site-spaces.ts'
import { readStructure } from '../../../store/sites/structure.ts'
import type { SiteRow, SiteSpaceRow, SpaceRow } from '../../../store/tables/rows.ts'
import { deriveFreePath } from './derive-free-path.ts'

/** The maximum number of spaces on a site. */
const mostSiteSpaces = 300

/**
 * Returns a live space of the site's organization that the user may place on a site, which may make
 * it public. Throws 'missing', and 'forbidden' below the role "create". Call it inside the
 * transaction that places the space.
 */
export function checkPlaceable(
  ctx: Context,
  site: Pick<SiteRow, 'organization_id'>,
  spaceId: string,
  userId: string,
): SpaceRow {
  const { space } = checkRole(ctx, spaceId, userId, 'create')
  if (space.organization_id !== site.organization_id) throw missing('space', spaceId)
  return space
}

/** Throws 'conflict' if a site with these spaces is full. */
export function checkFree(siteSpaces: readonly SiteSpaceRow[]): void {
  if (siteSpaces.length >= mostSiteSpaces)
    throw new Fault(
      'limit_reached',
      `The site has ${mostSiteSpaces} spaces, which is the limit. Remove one first.`,
    )
}

/**
 * Inserts a site space at the end of a section, or of the root (null). Throws 'conflict' if the
 * space is on the site, or the site is full. Beside other site spaces, the path avoids the folded
 * segments in `avoid`. The caller sets defaults and records the event, in the same transaction.
 */
export function placeSpace(
  ctx: Context,
  site: SiteRow,
  space: Pick<SpaceRow, 'id' | 'title'>,
  sectionId: string | null,
  avoid: ReadonlySet<string> = new Set(),
): SiteSpaceRow {
  const { siteSpaces } = readStructure(ctx.store, site.id)
  if (siteSpaces.some(row => row.space_id === space.id))
    throw new Fault(
      'already_on_site',
      `The space "${space.id}" is already on the site. A site shows a space once.`,
    )

  checkFree(siteSpaces)
  const siblings = siteSpaces.filter(row => row.section_id === sectionId)
  const place = { organizationId: site.organization_id, siteId: site.id, scope: sectionId ?? '' }
  const taken = [...siblings.map(row => row.path), ...(siblings.length > 0 ? avoid : [])]
  const path = deriveFreePath(ctx, place, space.title, taken, 'space')

  return insertSiteSpace(ctx.store, {
    id: randomId(),
    site_id: site.id,
    section_id: sectionId,
    space_id: space.id,
    path,
    position: (siblings.at(-1)?.position ?? -1) + 1,
    created_at: ctx.now().toISOString(),
  })
}
