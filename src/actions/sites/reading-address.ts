import { isForMembers, isOpenToAll } from '../../access/site-roles.ts'
import type { Context } from '../../context.ts'
import { listSitesWithSpace } from '../../store/sites/sites.ts'
import type { ChangeRequestRow, SiteRow } from '../../store/tables/rows.ts'
import { baseOfSite } from './addresses.ts'
import { previewBase } from './find-site.ts'
import { viewSite } from './view-site.ts'

/**
 * Returns the address at which members open a change request in a browser: on the oldest site of its
 * space that they read with their session, else in the preview of the oldest site. Undefined for a
 * space that is on no site.
 */
export function addressOfChangeRequest(
  ctx: Context,
  { space_id, number }: Pick<ChangeRequestRow, 'space_id' | 'number'>,
): string | undefined {
  const base = ctx.store.remember(`reading base ${space_id}`, () => readingBase(ctx, space_id))
  return base === undefined ? undefined : `${base}~/changes/${number}/`
}

/** Returns the address of a change request in the preview of a site that shows its space. */
export const previewOfChangeRequest = (
  ctx: Context,
  site: SiteRow,
  { space_id, number }: Pick<ChangeRequestRow, 'space_id' | 'number'>,
): string => `${previewBase(ctx, site)}${pathOnSite(ctx, site, space_id) ?? ''}~/changes/${number}/`

function readingBase(ctx: Context, spaceId: string): string | undefined {
  const sites = listSitesWithSpace(ctx.store, spaceId)
  const site = sites.find(each => isReadHere(ctx, each)) ?? sites[0]
  const path = site && pathOnSite(ctx, site, spaceId)
  if (!site || path === undefined) return undefined
  return (isReadHere(ctx, site) ? baseOfSite(ctx, site) : previewBase(ctx, site)) + path
}

function pathOnSite(ctx: Context, site: SiteRow, spaceId: string): string | undefined {
  const { siteSpaces } = viewSite(ctx, site, { sees: () => true, seesEmpty: false })
  return siteSpaces.find(({ space }) => space.id === spaceId)?.path
}

/**
 * Returns whether members read a site at its own address: it is published, needs neither the key of
 * a share link nor a visitor token, and is on the host that gets their session.
 */
export function isReadHere(ctx: Context, site: SiteRow): boolean {
  if (site.published === 0 || !(isOpenToAll(site) || isForMembers(site))) return false
  return new URL(baseOfSite(ctx, site)).origin === new URL(ctx.publicUrl()).origin
}
