import { organization } from '../../../access/guards/organization.ts'
import { listVisible } from '../../../access/visible.ts'
import { endpoint } from '../../../http/endpoint.ts'
import { envelope, pageOf } from '../../../http/list.ts'
import { listChangeRequestsOfSpaces } from '../../../store/discussions/change-requests.ts'
import { listSpaces } from '../../../store/spaces/spaces.ts'
import { OrganizationPath } from '../../base/organizations/schema.ts'
import { loadChangeRequests } from './load.ts'
import { ChangeRequestQuery, ChangeRequests } from './schema.ts'

export const listChangeRequestsForOrganization = endpoint({
  operationId: 'listChangeRequestsForOrganization',
  summary: 'List the change requests of all spaces that you can see, newest first',
  params: OrganizationPath,
  query: ChangeRequestQuery,
  reply: ChangeRequests,
  access: organization('guest'),
  handle: async ({ ctx, organization: { id: organizationId }, user, query }) => {
    const { page: _page, limit: _limit, status = 'open', ...said } = query
    const filter = { status, ...said }
    const who = { organizationId, userId: user.id, kind: 'space' } as const
    const seen = listVisible(ctx, who, Number.POSITIVE_INFINITY, undefined, (limit, after, among) =>
      listSpaces(ctx.store, { organizationId }, limit, after, among),
    ).map(({ row }) => row.id)
    const page = await pageOf(
      ctx,
      `change-requests of ${organizationId} ${user.id} ${JSON.stringify(filter)}`,
      query,
      (limit, after: [number] | undefined) =>
        listChangeRequestsOfSpaces(ctx.store, seen, filter, limit, after?.[0]),
      row => [row.seq] as [number],
    )

    return envelope(page, await loadChangeRequests(ctx, page.rows, user.id))
  },
})
