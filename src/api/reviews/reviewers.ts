import { changeRequest } from '../../access/guards/change-request.ts'
import { removeRequestedReviewer as remove } from '../../actions/change-requests/remove-requested-reviewer.ts'
import { requestReviewers } from '../../actions/change-requests/request-reviewers.ts'
import { currentChangeRequest } from '../../actions/heads/current-change-request.ts'
import { atOnce, endpoint, nothing } from '../../http/endpoint.ts'
import { envelope, PageQuery, pageOf } from '../../http/list.ts'
import { listRequestedReviewers } from '../../store/discussions/requested-reviewers.ts'
import { ChangeRequestPath } from '../change-requests/schema.ts'
import { loadRequestedReviewers } from './load.ts'
import { AskedReviewers, RequestedReviewers, ReviewerPath, ReviewersBody } from './schema.ts'

export const getRequestedReviewersByChangeRequestId = endpoint({
  operationId: 'getRequestedReviewersByChangeRequestId',
  summary: 'List who was asked to review a change request',
  description: 'In the order in which they were asked. Whoever has submitted a review stays in the list.',
  params: ChangeRequestPath,
  query: PageQuery,
  reply: RequestedReviewers,
  access: changeRequest('read'),
  handle: async ({ ctx, user, changeRequest, query }) => {
    const page = await pageOf(
      ctx,
      `requested-reviewers ${changeRequest.id}`,
      query,
      (limit, after: [number] | undefined) =>
        listRequestedReviewers(ctx.store, changeRequest.id, limit, after?.[0]),
      row => [row.seq] as [number],
    )
    return envelope(page, loadRequestedReviewers(ctx, page.rows, user.id))
  },
})

export const requestReviewersForChangeRequest = endpoint({
  operationId: 'requestReviewersForChangeRequest',
  summary: 'Ask users to review a change request',
  description:
    'Who was asked before stays so, with the first request. Whoever made the change request cannot be asked, nor can those who may not read the space. A draft is open from then on. Subject and description are changed when they are sent.',
  params: ChangeRequestPath,
  body: ReviewersBody,
  reply: AskedReviewers,
  access: changeRequest('edit'),
  handle: async ({ ctx, space, user, changeRequest, body, request }) => {
    const current = await currentChangeRequest(ctx, changeRequest)
    return atOnce(() => {
      const rows = requestReviewers(ctx, {
        space,
        changeRequest: current,
        by: user,
        users: body.users,
        subject: body.subject,
        description: body.description === undefined ? undefined : JSON.stringify(body.description),
        origin: request.origin,
      })
      return { users: loadRequestedReviewers(ctx, rows, user.id) }
    })
  },
})

export const removeRequestedReviewerFromChangeRequest = endpoint({
  operationId: 'removeRequestedReviewerFromChangeRequest',
  summary: 'Ask somebody no longer to review a change request',
  description: 'What they have reviewed stays. The same answer when they were not asked.',
  params: ReviewerPath,
  reply: nothing,
  access: changeRequest('edit'),
  handle: ({ ctx, space, user, changeRequest, params, request }) =>
    atOnce(() => {
      remove(ctx, { space, changeRequest, by: user, userId: params.userId, origin: request.origin })
      return undefined
    }),
})
