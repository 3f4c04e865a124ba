import { organization } from '../../access/organization.ts'
import { readVisible } from '../../access/visible.ts'
import type { Context } from '../../context.ts'
import { endpoint } from '../../http/endpoint.ts'
import { envelope, pageOf } from '../../http/list.ts'
import { listChangeRequestsOfOrganization } from '../../store/change-requests.ts'
import type { ChangeRequestRow } from '../../store/rows.ts'
import { OrganizationPath } from '../organizations/schema.ts'
import { loadChangeRequests } from './load.ts'
import { ChangeRequestQuery, ChangeRequests } from './schema.ts'

export const listChangeRequestsForOrganization = endpoint({
  operationId: 'listChangeRequestsForOrganization',
  summary: 'List the change requests of the spaces that you may see, newest first',
  params: OrganizationPath,
  query: ChangeRequestQuery,
  reply: ChangeRequests,
  access: organization('guest'),
  handle: async ({ ctx, organization: { id: organizationId }, user, query }) => {
    const { page: _page, limit: _limit, status = 'open', ...said } = query
    const { creator, contributor, requestedReviewer, conversationsIssuesCluster } = said
    // Nobody can be asked for a review yet, and nothing makes clusters: such a filter leaves nothing.
    const none = requestedReviewer !== undefined || conversationsIssuesCluster !== undefined
    const who = { organizationId, userId: user.id, kind: 'space' } as const
    const page = await pageOf(
      ctx,
      `change-requests of ${organizationId} ${user.id} ${JSON.stringify([status, said])}`,
      query,
      (limit, after: [number] | undefined) =>
        none
          ? []
          : readVisible<OfSpace>(ctx, who, limit, (count, last) =>
              listChangeRequestsOfOrganization(
                ctx.store,
                organizationId,
                { status, creator, contributor },
                count,
                last?.request.seq ?? after?.[0],
              ).map(request => ({ id: request.space_id, request })),
            ),
      ({ row }) => [row.request.seq] as [number],
    )
    const requests = page.rows.map(({ row }) => row.request)
    return envelope(page, await loadOfSpaces(ctx, requests))
  },
})

/** A change request where the id of its space decides who may see it. */
type OfSpace = { id: string; request: ChangeRequestRow }

/** Change requests of several spaces as the API shows them, in the order given; each space's head is read once. */
async function loadOfSpaces(ctx: Context, requests: readonly ChangeRequestRow[]) {
  const shown = new Map<string, Awaited<ReturnType<typeof loadChangeRequests>>[number]>()
  for (const id of new Set(requests.map(request => request.space_id))) {
    const rows = requests.filter(request => request.space_id === id)
    for (const resource of await loadChangeRequests(ctx, { id }, rows)) shown.set(resource.id, resource)
  }
  return requests.map(request => shown.get(request.id)!)
}
