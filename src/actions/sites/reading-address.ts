import { isForMembers, isOpenToAll } from '../../access/site-roles.ts'
import type { Context } from '../../context.ts'
import type { ChangeRequestRow, SiteRow } from '../../store/tables/rows.ts'
import { baseOfSite } from './addresses.ts'
import { previewBase } from './find-site.ts'
import { viewSite } from './view-site.ts'

/** Returns the address of a change request in the preview of a site that shows its space. */
export const previewOfChangeRequest = (
  ctx: Context,
  site: SiteRow,
  { space_id, number }: Pick<ChangeRequestRow, 'space_id' | 'number'>,
): string => `${previewBase(ctx, site)}${pathOnSite(ctx, site, space_id) ?? ''}~/changes/${number}/`

function pathOnSite(ctx: Context, site: SiteRow, spaceId: string): string | undefined {
  const { siteSpaces } = viewSite(ctx, site, { sees: () => true, seesEmpty: false })
  return siteSpaces.find(({ space }) => space.id === spaceId)?.path
}

/** Returns where a member reads a site: at its own address, or in its preview. */
export const readingAddress = (ctx: Context, site: SiteRow): string =>
  isReadHere(ctx, site) ? baseOfSite(ctx, site) : previewBase(ctx, site)

/**
 * Returns whether members read a site at its own address: it is published, needs neither the key of
 * a share link nor a visitor token, and is on the host that gets their session.
 */
export function isReadHere(ctx: Context, site: SiteRow): boolean {
  if (site.published === 0 || !(isOpenToAll(site) || isForMembers(site))) return false
  return new URL(baseOfSite(ctx, site)).origin === new URL(ctx.publicUrl()).origin
}
