import { organization } from '../../access/guards/organization.ts'
import { site } from '../../access/guards/site.ts'
import { createSite as createNewSite } from '../../actions/sites/create-site.ts'
import { checkPlaceable } from '../../actions/sites/structure/place-space.ts'
import { created, endpoint } from '../../http/endpoint.ts'
import { listing } from '../../http/list.ts'
import { OrganizationPath } from '../base/organizations/schema.ts'
import { audienceOf } from './audience.ts'
import { listForUser } from './list.ts'
import { loadSite } from './load.ts'
import { Site, SiteBody, SitePath, SitesQuery } from './schema.ts'

export const listSites = listing({
  operationId: 'listSites',
  summary: 'List the sites of an organization',
  description: 'Returns the sites that you may see, newest first. Several filters can be combined.',
  params: OrganizationPath,
  query: SitesQuery,
  item: Site,
  access: organization('guest'),
  list: ({ ctx, organization: { id }, member, user, query }) => {
    const { page: _page, limit: _limit, ...filters } = query
    const visible = listForUser(ctx, id, { member, user }, filters)
    return {
      name: `sites ${id} ${JSON.stringify(filters)}`,
      rows: (limit, after) =>
        visible.filter(({ row }) => after === undefined || row.seq < after).slice(0, limit),
      key: ({ row }) => row.seq,
      show: rows => rows.map(each => each.present()),
    }
  },
})

export const createSite = endpoint({
  operationId: 'createSite',
  summary: 'Create a site',
  description:
    'Creates a site that is not published yet. Requires the role "create" in the organization and on each of the spaces, because a site can make them public.',
  params: OrganizationPath,
  body: SiteBody,
  bodyOptional: true,
  reply: Site,
  status: 201,
  access: organization('create'),
  write: ({ ctx, organization: { id: organizationId }, user, body, request }) => {
    const place = { organization_id: organizationId }
    const spaces = [...new Set(body.spaces ?? [])].map(id =>
      checkPlaceable(ctx, place, id, user.id),
    )
    const { title, type } = body
    const audience = audienceOf(body)
    const order = { organizationId, title, type, audience, spaces, userId: user.id }
    const row = createNewSite(ctx, order, request.origin)
    return created(loadSite(ctx, row, user, 'admin'))
  },
})

export const getSiteById = endpoint({
  operationId: 'getSiteById',
  summary: 'Get a site',
  description:
    'Returns the site with its settings and addresses. `GET …/structure` returns its sections and spaces.',
  params: SitePath,
  reply: Site,
  access: site('read'),
  handle: ({ ctx, site: row, user, role }) => loadSite(ctx, row, user, role),
})
