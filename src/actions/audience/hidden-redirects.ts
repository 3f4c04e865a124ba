import type { SiteGrant } from '../../access/guards/site.ts'
import { atLeast } from '../../access/roles.ts'
import type { Context } from '../../context.ts'
import { findRedirect } from '../../store/sites/redirects.ts'
import { rememberedStructure } from '../../store/sites/structure.ts'
import { rememberedSpace } from '../../store/spaces/spaces.ts'
import type { Role } from '../../store/tables/roles.ts'
import type { SiteRedirectRow, SiteRow, SiteSpaceRow } from '../../store/tables/rows.ts'
import type { RedirectDestination } from '../../store/tables/sites.ts'
import { viewForUser } from '../sites/view-for-user.ts'

/**
 * Returns the ids of the sections and site spaces of a site that are hidden from a user, and with
 * them the redirects that lead there. Users who edit the structure also see redirects to deleted
 * spaces, which may be restored.
 */
export function hiddenFrom(
  ctx: Context,
  site: SiteRow,
  user: { id: string },
  role: Role,
): Set<string> {
  const { sections, siteSpaces } = rememberedStructure(ctx.store, site)
  const view = viewForUser(ctx, site, user, role)
  const seen = new Set([...view.sections, ...view.siteSpaces].map(({ row }) => row.id))
  const isDeleted = ({ space_id }: SiteSpaceRow) =>
    atLeast(role, 'create') && rememberedSpace(ctx.store, space_id)?.deleted_at !== null
  const hidden = siteSpaces.filter(row => !seen.has(row.id) && !isDeleted(row))
  return new Set([...hidden, ...sections.filter(row => !seen.has(row.id))].map(row => row.id))
}

/** Returns whether a redirect leads to something that is hidden from a user. */
export const isHidden = (hidden: ReadonlySet<string>, destination: RedirectDestination): boolean =>
  destination.kind !== 'external' &&
  hidden.has(
    destination.kind === 'site-section' ? destination.siteSectionId : destination.siteSpaceId,
  )

/** Returns a redirect of a site whose destination the user may see. */
export function findSeenRedirect(
  ctx: Context,
  { site, user, role }: Pick<SiteGrant, 'site' | 'user' | 'role'>,
  id: string,
): SiteRedirectRow | undefined {
  const found = findRedirect(ctx.store, site.id, id)
  const hidden = hiddenFrom(ctx, site, user, role)
  return found && !isHidden(hidden, found.destination) ? found : undefined
}
