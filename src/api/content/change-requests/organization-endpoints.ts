import { organization } from '../../../access/guards/organization.ts'
import { listVisible } from '../../../access/visible.ts'
import { listing } from '../../../http/list.ts'
import { listChangeRequestsOfSpaces } from '../../../store/discussions/change-requests.ts'
import { listSpaces } from '../../../store/spaces/spaces.ts'
import { OrganizationPath } from '../../base/organizations/schema.ts'
import { filterOf, loadChangeRequests } from './load.ts'
import { ChangeRequest, ChangeRequestQuery } from './schema.ts'

export const listChangeRequestsForOrganization = listing({
  operationId: 'listChangeRequestsForOrganization',
  summary: 'List the change requests of all spaces that you can see, newest first',
  description: 'Open ones by default, with `status` others. Filters combine.',
  params: OrganizationPath,
  query: ChangeRequestQuery,
  item: ChangeRequest,
  access: organization('guest'),
  list: ({ ctx, organization: { id: organizationId }, user, query }) => {
    const filter = filterOf(query)
    const who = { organizationId, userId: user.id, kind: 'space' } as const
    const seen = listVisible(ctx, who, Number.POSITIVE_INFINITY, undefined, (limit, after, among) =>
      listSpaces(ctx.store, { organizationId }, limit, after, among),
    ).map(({ row }) => row.id)

    return {
      name: `change-requests of ${organizationId} ${user.id} ${JSON.stringify(filter)}`,
      rows: (limit, after) => listChangeRequestsOfSpaces(ctx.store, seen, filter, limit, after),
      show: rows => loadChangeRequests(ctx, rows, user.id),
    }
  },
})
