import type { Context } from '../../context.ts'
import type { SpaceRow } from '../../store/tables/rows.ts'
import { seesSpecs } from '../clearance/clear-content.ts'
import type { Registry } from '../links/read-links.ts'
import { listSpecSlugs } from '../specs/read-spec.ts'

/**
 * Returns the specs of the organization of a space; for users who may not see them, all that links
 * name.
 */
export function registryFor(
  ctx: Context,
  { organization_id: organizationId }: Pick<SpaceRow, 'organization_id'>,
  user: { id: string },
): Registry {
  if (!seesSpecs(ctx, organizationId, user.id)) return undefined
  return new Set([...listSpecSlugs(ctx, organizationId)].map(each => each.toLowerCase()))
}
