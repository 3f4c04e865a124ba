import type { Idempotency, Origin } from '../../access/asker.ts'
import { checkBeside } from '../../access/guards/placement.ts'
import type { Context } from '../../context.ts'
import { readStructure } from '../../store/sites/structure.ts'
import type { SiteRow, SpaceRow, UserRow } from '../../store/tables/rows.ts'
import { pageSegments } from '../sites/structure/page-segments.ts'
import { checkFree, checkPlaceable } from '../sites/structure/place-space.ts'
import { duplicateSpace } from './duplicate-space.ts'

/**
 * Duplicates a space of a site after checking that the user may place the copy there, and that
 * there is room for it. Returns the copy, and the folded segments that its derived path must not
 * have.
 */
export async function duplicateForSite(
  ctx: Context,
  { site, space, user }: { site: SiteRow; space: SpaceRow; user: UserRow },
  idempotency?: Idempotency,
  origin: Origin | null = null,
): Promise<{ copy: SpaceRow; avoid: Set<string> }> {
  // The copy has the permissions of the space.
  checkPlaceable(ctx, site, space.id, user.id)
  checkBeside(ctx, space.organization_id, space.collection_id, user.id)
  checkFree(readStructure(ctx.store, site.id).siteSpaces)
  const avoid = await pageSegments(ctx, site)

  return { copy: await duplicateSpace(ctx, space, user, idempotency, origin), avoid }
}
