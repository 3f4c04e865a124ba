import { checkMember, organization } from '../../access/guards/organization.ts'
import { site } from '../../access/guards/site.ts'
import { deriveFreePath } from '../../actions/sites/derive-free-path.ts'
import { checkPlaceable, placeSpace } from '../../actions/sites/place-space.ts'
import { recordSiteEvent } from '../../actions/sites/record-site-event.ts'
import { newVisitorKey } from '../../actions/sites/visitor-key.ts'
import { Fault } from '../../errors.ts'
import { Answer, endpoint, inTransaction } from '../../http/endpoint.ts'
import { envelope, pageOf } from '../../http/list.ts'
import { randomId } from '../../lib/digest.ts'
import { putSitePermission } from '../../store/sites/site-permissions.ts'
import { countSites, insertSite, listBasenames, updateSite } from '../../store/sites/sites.ts'
import { insertVisitorAuth } from '../../store/sites/visitor-auth.ts'
import type { SiteRow } from '../../store/tables/rows.ts'
import { OrganizationPath } from '../organizations/schema.ts'
import { listForUser } from './list.ts'
import { loadSite } from './load.ts'
import { Site, SiteBody, SitePath, Sites, SitesQuery } from './schema.ts'

/** The maximum number of sites of an organization. */
const mostSites = 1000

export const listSites = endpoint({
  operationId: 'listSites',
  summary: 'List the sites of an organization',
  description: 'Newest first: the sites that you may see. Filters combine.',
  params: OrganizationPath,
  query: SitesQuery,
  reply: Sites,
  access: organization('guest'),
  handle: async ({ ctx, organization: { id }, member, user, query: { page, limit, ...filters } }) => {
    const visible = listForUser(ctx, id, { member, user }, filters)
    const shown = await pageOf(
      ctx,
      `sites ${id} ${JSON.stringify(filters)}`,
      { page, limit },
      (most, after: [number] | undefined) =>
        visible.filter(({ row }) => after === undefined || row.seq < after[0]).slice(0, most),
      ({ row }): [number] => [row.seq],
    )
    const items = shown.rows.map(each => each.present())
    return { ...envelope(shown, items), count: visible.length }
  },
})

export const createSite = endpoint({
  operationId: 'createSite',
  summary: 'Create a site',
  description:
    'Needs the role "create" in the organization and on each of the spaces, because a site may make them public. The site is not published yet.',
  params: OrganizationPath,
  body: SiteBody,
  bodyOptional: true,
  reply: Site,
  status: 201,
  access: organization('create'),
  handle: ({ ctx, organization: { id: organizationId }, user, body, request }) =>
    inTransaction(() => {
      checkMember(ctx, organizationId, user, 'create')
      if (countSites(ctx.store, organizationId) >= mostSites)
        throw new Fault(
          'conflict',
          `The organization has ${mostSites} sites, which is the limit. Delete one first.`,
        )
      const place = { organization_id: organizationId }
      const spaces = [...new Set(body.spaces ?? [])].map(id => checkPlaceable(ctx, place, id, user.id))
      const title = body.title ?? titleFrom(spaces[0]?.title)
      const at = ctx.now().toISOString()
      const names = { organizationId, siteId: null, scope: 'organization' }
      let row = insertSite(ctx.store, {
        id: randomId(),
        organization_id: organizationId,
        title,
        basename: deriveFreePath(ctx, names, title, listBasenames(ctx.store, organizationId), 'site'),
        ...(body.type !== undefined && { type: body.type }),
        ...(body.visibility !== undefined && { visibility: body.visibility }),
        created_by: user.id,
        created_at: at,
        updated_at: at,
      })
      insertVisitorAuth(ctx.store, { site_id: row.id, key_sealed: newVisitorKey(ctx), updated_at: at })
      const [first] = spaces.map(space => placeSpace(ctx, row, space, null))
      if (first) row = updateSite(ctx.store, row.id, { default_site_space_id: first.id }) as SiteRow
      putSitePermission(ctx.store, {
        site_id: row.id,
        subject_kind: 'user',
        subject_id: user.id,
        role: 'admin',
        created_at: at,
      })
      recordSiteEvent(
        ctx,
        row,
        'site.created',
        { userId: user.id, origin: request.origin },
        {
          visibility: row.visibility,
          spaces: spaces.map(space => space.id),
        },
      )
      const shown = loadSite(ctx, row, user, 'admin')
      return new Answer(shown, { headers: { Location: shown.urls.location } })
    }),
})

/** Returns the title of a site without one of its own; titles of spaces may be shorter than a site's. */
const titleFrom = (title: string | undefined): string =>
  title !== undefined && [...title].length >= 2 ? title : 'Documentation'

export const getSiteById = endpoint({
  operationId: 'getSiteById',
  summary: 'Get a site',
  params: SitePath,
  reply: Site,
  access: site('read'),
  handle: ({ ctx, site: row, user, role }) => loadSite(ctx, row, user, role),
})
