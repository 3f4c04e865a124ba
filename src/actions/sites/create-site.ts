import type { Context } from '../../context.ts'
import { Fault } from '../../errors.ts'
import { randomId } from '../../lib/digest.ts'
import { putSitePermission } from '../../store/sites/site-permissions.ts'
import { countSites, insertSite, listBasenames, updateSite } from '../../store/sites/sites.ts'
import { insertVisitorAuth } from '../../store/sites/visitor-auth.ts'
import type { SiteRow, SpaceRow } from '../../store/tables/rows.ts'
import type { EventActor } from '../events/audit-event.ts'
import { recordSiteEvent } from './record-site-event.ts'
import { deriveFreePath } from './structure/derive-free-path.ts'
import { placeSpace } from './structure/place-space.ts'
import { newVisitorKey } from './visitor-key.ts'

/** The maximum number of sites of an organization. */
const mostSites = 1000

type NewSite = {
  organizationId: string
  title?: string | undefined
  type?: SiteRow['type'] | undefined
  audience?: Partial<Pick<SiteRow, 'visibility' | 'members_only'>>
  /** The spaces that it shows; the first is its default. */
  spaces: readonly Pick<SpaceRow, 'id' | 'title'>[]
  /** Its first admin. */
  userId: string
}

/**
 * Creates a site that is not published; call it inside a transaction. By default its title is that
 * of the first space. Throws 'conflict' if the organization has too many sites.
 */
export function createSite(
  ctx: Context,
  { organizationId, spaces, userId, type, audience, title = titleFrom(spaces[0]?.title) }: NewSite,
  origin: EventActor['origin'],
): SiteRow {
  if (countSites(ctx.store, organizationId) >= mostSites)
    throw new Fault(
      'limit_reached',
      `The organization has ${mostSites} sites, which is the limit. Delete one first.`,
    )

  const at = ctx.now().toISOString()
  const names = { organizationId, siteId: null, scope: 'organization' }
  const row = insertSite(ctx.store, {
    id: randomId(),
    organization_id: organizationId,
    title,
    basename: deriveFreePath(ctx, names, title, listBasenames(ctx.store, organizationId), 'site'),
    ...(type !== undefined && { type }),
    ...audience,
    created_by: userId,
    created_at: at,
    updated_at: at,
  })

  insertVisitorAuth(ctx.store, { site_id: row.id, key_sealed: newVisitorKey(ctx), updated_at: at })
  const [first] = spaces.map(space => placeSpace(ctx, row, space, null))
  const site = first
    ? (updateSite(ctx.store, row.id, { default_site_space_id: first.id }) as SiteRow)
    : row

  putSitePermission(ctx.store, {
    site_id: row.id,
    subject_kind: 'user',
    subject_id: userId,
    role: 'admin',
    created_at: at,
  })

  recordSiteEvent(
    ctx,
    site,
    'site.created',
    { userId, origin },
    {
      visibility: site.visibility,
      spaces: spaces.map(space => space.id),
    },
  )

  return site
}

/**
 * Returns the title of a site without one of its own; titles of spaces may be shorter than a
 * site's.
 */
const titleFrom = (title: string | undefined): string =>
  title !== undefined && [...title].length >= 2 ? title : 'Documentation'
