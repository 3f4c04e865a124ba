import { organization } from '../../../access/guards/organization.ts'
import { checkSite, type SitePath } from '../../../access/guards/site.ts'
import { listVisible } from '../../../access/visible.ts'
import type { Context } from '../../../context.ts'
import { selecting } from '../../../http/fields.ts'
import { listing, listOf } from '../../../http/list.ts'
import {
  type ChangeRequestPlace,
  changePlace,
  listChangeRequestsOfSpaces,
} from '../../../store/discussions/list-change-requests.ts'
import { rememberedStructure } from '../../../store/sites/structure.ts'
import { listSpaces } from '../../../store/spaces/spaces.ts'
import type { UserRow } from '../../../store/tables/rows.ts'
import { OrganizationPath } from '../../base/organizations/schema.ts'
import { filterOf, listDescription, loadChangeRequests } from './load.ts'
import { ChangeRequest, OrganizationChangeRequestQuery } from './schema.ts'

export const listChangeRequestsForOrganization = listing({
  operationId: 'listChangeRequestsForOrganization',
  summary: 'List the change requests of all spaces that you can see, newest first',
  description: listDescription,
  params: OrganizationPath,
  query: selecting(OrganizationChangeRequestQuery, listOf(ChangeRequest)),
  item: ChangeRequest,
  access: organization('guest'),
  list: ({ ctx, organization: { id: organizationId }, user, query: asked }) => {
    const { space, site, orderBy: order, fields: _, ...query } = asked
    const filter = filterOf(query)
    const who = { organizationId, userId: user.id, kind: 'space' } as const
    const onSite =
      site === undefined ? undefined : spacesOf(ctx, { organizationId, siteId: site }, user)
    const seen = listVisible(ctx, who, Number.POSITIVE_INFINITY, undefined, (limit, after, among) =>
      listSpaces(ctx.store, { organizationId }, limit, after, among),
    )
      .map(({ row }) => row.id)
      .filter(id => space === undefined || id === space)
      .filter(id => onSite?.includes(id) ?? true)

    return {
      name: `change-requests of ${organizationId} ${user.id} ${order} ${JSON.stringify([filter, space, site])}`,
      rows: (limit, after?: ChangeRequestPlace) =>
        listChangeRequestsOfSpaces(ctx.store, seen, filter, limit, { order, after }),
      key: row => (order === 'updatedAt' ? changePlace(row) : row.seq),
      show: rows => loadChangeRequests(ctx, rows, user.id),
    }
  },
})

/** Returns the ids of the spaces on a site that a user may see. Throws 'missing'. */
const spacesOf = (ctx: Context, path: SitePath, user: UserRow): string[] =>
  rememberedStructure(ctx.store, checkSite(ctx, path, user, 'read').site).siteSpaces.map(
    row => row.space_id,
  )
