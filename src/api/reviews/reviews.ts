import { changeRequest } from '../../access/guards/change-request.ts'
import { hasChanged, submitReview } from '../../actions/change-requests/submit-review.ts'
import { currentChangeRequest } from '../../actions/heads/current-change-request.ts'
import { Fault, missing } from '../../errors.ts'
import { matchList } from '../../http/conditional.ts'
import { Answer, atOnce, endpoint } from '../../http/endpoint.ts'
import { envelope, pageOf } from '../../http/list.ts'
import { findReview, listReviews } from '../../store/discussions/reviews.ts'
import { ChangeRequestPath } from '../change-requests/schema.ts'
import { keepBody } from '../comments/body.ts'
import { loadComment } from '../comments/load.ts'
import { checkPace } from '../comments/post.ts'
import { loadReviews, usersOf } from './load.ts'
import { presentReview } from './present.ts'
import { Review, ReviewBody, ReviewPath, ReviewQuery, Reviews, ReviewsQuery } from './schema.ts'

export const getReviewsByChangeRequestId = endpoint({
  operationId: 'getReviewsByChangeRequestId',
  summary: 'List the reviews of a change request, newest first',
  description: 'A review is outdated as soon as the change request has another revision.',
  params: ChangeRequestPath,
  query: ReviewsQuery,
  reply: Reviews,
  access: changeRequest('read'),
  handle: async ({ ctx, user, role, changeRequest, query: { format, outdated, ...query } }) => {
    const { id, revision: head } = await currentChangeRequest(ctx, changeRequest)
    const page = await pageOf(
      ctx,
      `reviews ${id} ${outdated ?? 'all'}`,
      query,
      (limit, after: [number] | undefined) =>
        listReviews(ctx.store, id, { head, outdated }, limit, after?.[0]),
      row => [row.seq] as [number],
    )
    const viewer = { userId: user.id, role }
    return envelope(page, await loadReviews(ctx, page.rows, { head, viewer, format }))
  },
})

export const getChangeRequestReviewById = endpoint({
  operationId: 'getChangeRequestReviewById',
  summary: 'Get a review of a change request',
  params: ReviewPath,
  query: ReviewQuery,
  reply: Review,
  access: changeRequest('read'),
  handle: async ({ ctx, user, role, changeRequest, params, query: { format } }) => {
    const { id, revision: head } = await currentChangeRequest(ctx, changeRequest)
    const row = findReview(ctx.store, id, params.reviewId)
    if (!row) throw missing('review', params.reviewId)
    const [shown] = await loadReviews(ctx, [row], { head, viewer: { userId: user.id, role }, format })
    return shown!
  },
})

export const submitChangeRequestReview = endpoint({
  operationId: 'submitChangeRequestReview',
  summary: 'Review a change request',
  description:
    'The review is of the present revision; say in `revision`, or in `If-Match` (412), which one you looked at, so that nothing is approved that you have not seen. Merge rules count what each reviewer said last of the revision that is to be merged. Nobody approves a change request of their own (403), and what its author says of it does not count. Whoever was asked to review stays so.',
  params: ChangeRequestPath,
  body: ReviewBody,
  ifMatch: true,
  reply: Review,
  status: 201,
  access: changeRequest('review'),
  handle: async ({ ctx, space, user, role, changeRequest, body, request }) => {
    const current = await currentChangeRequest(ctx, changeRequest)
    const head = current.revision
    checkSeen(head, body.revision, request.header('if-match'))
    return atOnce(() => {
      if (body.comment) checkPace({ ctx, space, user })
      const made = submitReview(ctx, {
        space,
        changeRequest: current,
        by: user,
        status: body.status,
        comment: body.comment && keepBody(body.comment),
        origin: request.origin,
      })
      const shown = presentReview(made.review, {
        users: usersOf(ctx, [made.review], user.id),
        base: ctx.publicUrl(),
        head,
        comment: made.comment && loadComment(ctx, made.comment, { userId: user.id, role }),
      })
      return new Answer(shown, { headers: { Location: shown.urls.location } })
    })
  },
})

/** Throws when the reviewer looked at another revision than the head. */
function checkSeen(head: string, revision: string | undefined, ifMatch: string | undefined): void {
  if (revision !== undefined && revision !== head) throw hasChanged(head)
  const named = matchList(ifMatch)
  if (named !== undefined && named !== '*' && !named.includes(head))
    throw new Fault('unmet', 'The change request has changed. Look at it as it is now, then review that.', {
      revision: head,
    })
}
