import { changeRequest } from '../../../access/guards/change-request.ts'
import { removeRequestedReviewer as remove } from '../../../actions/change-requests/remove-requested-reviewer.ts'
import { requestReviewers } from '../../../actions/change-requests/request-reviewers.ts'
import { currentChangeRequest } from '../../../actions/heads/current-change-request.ts'
import { endpoint, inTransaction, nothing } from '../../../http/endpoint.ts'
import { listing } from '../../../http/list.ts'
import { listRequestedReviewers } from '../../../store/discussions/requested-reviewers.ts'
import { ChangeRequestPath } from '../../base/paths-schema.ts'

import { loadRequestedReviewers } from './load.ts'
import { AskedReviewers, RequestedReviewer, ReviewerPath, ReviewersBody } from './schema.ts'

export const getRequestedReviewersByChangeRequestId = listing({
  operationId: 'getRequestedReviewersByChangeRequestId',
  summary: 'List the requested reviewers of a change request',
  description:
    'Returns the reviewers in the order of the requests. A reviewer stays in the list after the review.',
  params: ChangeRequestPath,
  item: RequestedReviewer,
  access: changeRequest('read'),
  list: ({ ctx, user, changeRequest: { id } }) => ({
    name: `requested-reviewers ${id}`,
    rows: (limit, after) => listRequestedReviewers(ctx.store, id, limit, after),
    show: rows => loadRequestedReviewers(ctx, rows, user.id),
  }),
})

export const requestReviewersForChangeRequest = endpoint({
  operationId: 'requestReviewersForChangeRequest',
  summary: 'Request reviews of a change request',
  description:
    'Asks users for a review, and updates subject and description if they are in the body. A draft becomes open. Users who were asked before keep their first request. The author of the change request, and users who may not read the space, are refused. Requires the role "edit" in the space.',
  params: ChangeRequestPath,
  body: ReviewersBody,
  reply: AskedReviewers,
  access: changeRequest('edit'),
  handle: async ({ ctx, changeRequest, body, request }) => {
    const current = await currentChangeRequest(ctx, changeRequest)
    return inTransaction(({ space, user }) => {
      const rows = requestReviewers(ctx, {
        space,
        changeRequest: current,
        by: user,
        users: body.users,
        subject: body.subject,
        description: body.description,
        origin: request.origin,
      })
      return { users: loadRequestedReviewers(ctx, rows, user.id) }
    })
  },
})

export const removeRequestedReviewerFromChangeRequest = endpoint({
  operationId: 'removeRequestedReviewerFromChangeRequest',
  summary: 'Remove a requested reviewer from a change request',
  description:
    'Withdraws the request for a review; submitted reviews stay. The operation also succeeds when the user was not asked.',
  params: ReviewerPath,
  reply: nothing,
  access: changeRequest('edit'),
  write: ({ ctx, space, user, changeRequest, params, request }) => {
    remove(ctx, { space, changeRequest, by: user, userId: params.userId, origin: request.origin })
  },
})
