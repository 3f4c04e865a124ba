import { isForMembers, isOpenToAll } from '../../access/site-roles.ts'
import type { BrowserAddresses } from '../../content/tree/browser-addresses.ts'
import type { Context } from '../../context.ts'
import type { Oid } from '../../lib/oid.ts'
import { listSitesWithSpace } from '../../store/sites/sites.ts'
import type { ChangeRequestRow, SiteRow } from '../../store/tables/rows.ts'
import { baseOfSite } from './addresses.ts'
import { previewBase } from './find-site.ts'
import { viewSite } from './view-site.ts'

/**
 * Returns the address at which members open a change request in a browser. Undefined for a space
 * that is on no site.
 */
export function addressOfChangeRequest(
  ctx: Context,
  { space_id, number }: Pick<ChangeRequestRow, 'space_id' | 'number'>,
): string | undefined {
  const base = readingBaseOf(ctx, space_id)
  return base === undefined ? undefined : `${base}~/changes/${number}/`
}

/**
 * Returns the addresses that lead to a space, or to a revision of it, on the site where members read
 * it; `base` is the public URL. They do not depend on the sites of the space, so that kept answers
 * may name them.
 */
export function addressesInApp(base: string, spaceId: string, revision?: Oid): BrowserAddresses {
  const space = `${base}/app/s/${spaceId}`
  const content = revision === undefined ? space : `${space}/history/${revision}`
  return { content, pages: `${content}/p/`, byPath: false }
}

/**
 * Returns the base of the addresses at which members read a space: on the oldest of its sites that
 * they read with their session, else in the preview of the oldest one. Undefined for a space that is
 * on no site.
 */
const readingBaseOf = (ctx: Context, spaceId: string): string | undefined =>
  ctx.store.remember(`reading base ${spaceId}`, () => readingBase(ctx, spaceId))

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
