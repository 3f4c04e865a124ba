import type { z } from 'zod'
import type { ReadSite } from '../../access/guards/reading.ts'
import { roleOnSpace } from '../../access/space-role.ts'
import { baseOfSite } from '../../actions/sites/addresses.ts'
import { previewBase } from '../../actions/sites/find-site.ts'
import { viewForReader } from '../../actions/sites/view-for-reader.ts'
import { viewForUser } from '../../actions/sites/view-for-user.ts'
import type { SiteView } from '../../actions/sites/view-site.ts'
import type { Context } from '../../context.ts'
import type { Role } from '../../store/tables/roles.ts'
import type { SiteRow } from '../../store/tables/rows.ts'
import { currentHeads, loadSpacesForReader, showSpaces } from '../spaces/load.ts'
import { activeShareKey } from './load-share-key.ts'
import { presentSite, type StructureShown } from './present.ts'
import type { Site } from './schema.ts'

/** Returns the resource of a site as a user with this role sees it. */
export const loadSite = (
  ctx: Context,
  site: SiteRow,
  user: { id: string },
  role: Role,
): z.input<typeof Site> => showSite(ctx, viewForUser(ctx, site, user, role), role)

/**
 * Returns the resource of a site from the view that a user with this role, or a reader, has of it.
 */
export const showSite = (
  ctx: Context,
  { site, siteSpaces }: SiteView,
  role: Role | 'reader',
  shareKey?: string,
): z.input<typeof Site> =>
  presentSite(site, {
    role,
    siteSpaces: siteSpaces.length,
    publicUrl: ctx.publicUrl(),
    base: baseOfSite(ctx, site),
    preview: previewBase(ctx, site),
    shareKey,
  })

/** The part of a view whose spaces are shown. */
type Shown = Pick<SiteView, 'site' | 'siteSpaces'>

/**
 * Returns how the structure of a site is shown to its reader: with reduced resources of the spaces
 * in `view`.
 */
export async function shownToReader(
  ctx: Context,
  { site, siteSpaces }: Shown,
  shareKey?: string,
): Promise<StructureShown> {
  const loaded = await loadSpacesForReader(
    ctx,
    siteSpaces.map(({ space }) => space),
  )
  return {
    site,
    base: baseOfSite(ctx, site),
    shareKey,
    spaces: new Map(loaded.map(space => [space.id, space])),
    conditions: false,
  }
}

/** A site as a caller sees it, and a function that returns how parts of it are shown to them. */
type SeenSite = {
  view: SiteView
  show: (part: Shown) => Promise<StructureShown>
}

/** Returns the site that a guard granted as its caller sees it, a user or a reader. */
export async function seenSite(
  ctx: Context,
  { site, reader, user, role }: ReadSite,
  key: string | undefined,
): Promise<SeenSite> {
  const shareKey = activeShareKey(ctx, site, key)
  if (!reader)
    return {
      view: viewForUser(ctx, site, user, role),
      show: part => shownToUser(ctx, part, user, shareKey),
    }
  const { view } = await viewForReader(ctx, reader)
  return { view, show: part => shownToReader(ctx, part, shareKey) }
}

/**
 * Returns how the structure of a site is shown to a user: with the resources of the spaces in
 * `view`.
 */
export async function shownToUser(
  ctx: Context,
  view: Shown,
  user: { id: string },
  shareKey?: string,
): Promise<StructureShown> {
  const heads = await currentHeads(
    ctx,
    view.siteSpaces.map(({ space }) => space),
  )
  return shownWithHeads(ctx, view, user, heads, shareKey)
}

/** Returns the same for spaces with known heads, for answers inside a transaction. */
export function shownWithHeads(
  ctx: Context,
  { site, siteSpaces }: Shown,
  user: { id: string },
  heads: ReadonlyMap<string, string>,
  shareKey?: string,
): StructureShown {
  const items = siteSpaces.map(({ space }) => ({
    row: space,
    role: roleOnSpace(ctx, space, user.id) as Role,
  }))
  const spaces = showSpaces(ctx, items, user.id, heads)
  return {
    site,
    base: baseOfSite(ctx, site),
    shareKey,
    spaces: new Map(spaces.map(space => [space.id, space])),
    conditions: true,
  }
}
