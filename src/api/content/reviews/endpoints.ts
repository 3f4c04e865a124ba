import { changeRequest } from '../../../access/guards/change-request.ts'
import { hasChanged, submitReview } from '../../../actions/change-requests/submit-review.ts'
import { checkPace } from '../../../actions/comments/check-pace.ts'
import { currentChangeRequest } from '../../../actions/heads/current-change-request.ts'
import { Fault, missing } from '../../../errors.ts'
import { matchList } from '../../../http/conditional.ts'
import { created, endpoint, inTransaction } from '../../../http/endpoint.ts'
import { listing } from '../../../http/list.ts'
import { findReview, listReviews } from '../../../store/discussions/reviews.ts'
import { ChangeRequestPath } from '../../base/paths-schema.ts'
import { commentLoader } from '../comments/load.ts'
import { loadReviews, usersOf } from './load.ts'
import { presentReview } from './present.ts'
import { Review, ReviewBody, ReviewPath, ReviewQuery, ReviewsQuery } from './schema.ts'

export const getReviewsByChangeRequestId = listing({
  operationId: 'getReviewsByChangeRequestId',
  summary: 'List the reviews of a change request, newest first',
  description:
    'Returns the reviews. A review is outdated as soon as the change request has another revision.',
  params: ChangeRequestPath,
  query: ReviewsQuery,
  item: Review,
  access: changeRequest('read'),
  list: async ({ ctx, user, role, changeRequest, query: { format, outdated } }) => {
    const { id, revision: head } = await currentChangeRequest(ctx, changeRequest)
    return {
      name: `reviews ${id} ${outdated ?? 'all'}`,
      rows: (limit, after) => listReviews(ctx.store, id, { head, outdated }, limit, after),
      show: rows => loadReviews(ctx, rows, { head, viewer: { userId: user.id, role }, format }),
    }
  },
})

export const getChangeRequestReviewById = endpoint({
  operationId: 'getChangeRequestReviewById',
  summary: 'Get a review of a change request',
  description: 'Returns the review; `comment` is the remark of the reviewer, if there is one.',
  params: ReviewPath,
  query: ReviewQuery,
  reply: Review,
  access: changeRequest('read'),
  handle: async ({ ctx, user, role, changeRequest, params, query: { format } }) => {
    const { id, revision: head } = await currentChangeRequest(ctx, changeRequest)
    const row = findReview(ctx.store, id, params.reviewId)
    if (!row) throw missing('review', params.reviewId)

    const [shown] = await loadReviews(ctx, [row], {
      head,
      viewer: { userId: user.id, role },
      format,
    })

    return shown!
  },
})

export const submitChangeRequestReview = endpoint({
  operationId: 'submitChangeRequestReview',
  summary: 'Review a change request',
  description:
    'Adds a review of the current revision. Send the revision that you have read as `revision`, or in `If-Match` (412), so that you do not approve changes that you have not seen. Merge rules use the last review of each reviewer for the revision to be merged. Users cannot approve their own change request (403), and reviews by the author do not count. Requested reviewers stay requested. Requires the role "review" in the space.',
  params: ChangeRequestPath,
  body: ReviewBody,
  ifMatch: true,
  reply: Review,
  status: 201,
  access: changeRequest('review'),
  handle: async ({ ctx, changeRequest, body, request }) => {
    const current = await currentChangeRequest(ctx, changeRequest)
    const head = current.revision
    checkSeen(head, body.revision, request.header('if-match'))

    return inTransaction(({ space, user, role }) => {
      if (body.comment) checkPace(ctx, { space, user })
      const made = submitReview(ctx, {
        space,
        changeRequest: current,
        by: user,
        status: body.status,
        comment: body.comment,
        origin: request.origin,
      })

      const shown = presentReview(made.review, {
        users: usersOf(ctx, [made.review], user.id),
        base: ctx.publicUrl(),
        head,
        comment: made.comment && commentLoader.one(ctx, made.comment, { userId: user.id, role }),
      })

      return created(shown)
    })
  },
})

/** Throws when the reviewer has seen another revision than the head. */
function checkSeen(head: string, revision: string | undefined, ifMatch: string | undefined): void {
  if (revision !== undefined && revision !== head) throw hasChanged(head)
  const named = matchList(ifMatch)
  if (named !== undefined && named !== '*' && !named.includes(head))
    throw new Fault(
      'precondition_failed',
      'The change request has changed. Read its current revision and review that.',
      {
        revision: head,
      },
    )
}
