import { z } from 'zod'
import { changeRequest } from '../../access/guards/change-request.ts'
import { atLeast } from '../../access/roles.ts'
import { removeRequestedReviewer } from '../../actions/change-requests/remove-requested-reviewer.ts'
import { requestReviewers } from '../../actions/change-requests/request-reviewers.ts'
import { hasChanged, submitReview } from '../../actions/change-requests/submit-review.ts'
import { checkPace } from '../../actions/comments/check-pace.ts'
import { postComment, revisionToComment } from '../../actions/comments/post-comment.ts'
import { currentChangeRequest } from '../../actions/heads/current-change-request.ts'
import { Fault } from '../../errors.ts'
import { inTransaction } from '../../http/endpoint.ts'
import { actOnThread, ThreadBody } from '../comments/act-on-thread.ts'
import { form } from '../frame/page.ts'
import { fieldProblem } from '../frame/problems.ts'
import { onOverview } from './forms.ts'
import { requestPath, withQuery } from './paths.ts'

const mostCharacters = 20_000
/** The text of a comment or of a review, which may have none. */
const Text = z.string().max(mostCharacters, `takes up to ${mostCharacters} characters`)

/** Says that a text is missing, at its field. */
const needsText = () => fieldProblem('text', 'write something first')

const notices = {
  approved: 'You approved it.',
  'changes-requested': 'You requested changes.',
}

/** Comments on a change request as a whole, or reviews it. */
export const reviewForm = form({
  path: '/s/:spaceId/changes/:changeRequestId/review',
  scope: ['change-requests:write', 'comments:write'],
  access: changeRequest('comment'),
  body: z.object({
    do: z.enum(['comment', 'approved', 'changes-requested']),
    text: Text,
    revision: z.string().min(1).max(100),
  }),
  shownOn: onOverview,
  act: async ({ ctx, changeRequest, body, by, space, user, role }) => {
    const { do: what, text } = body
    const path = requestPath(changeRequest)
    const comment = text.trim() === '' ? undefined : { markdown: text }
    if (what === 'comment') {
      if (!comment) throw needsText()
      const granted = { space, user, role, changeRequest }
      const revision = await revisionToComment(ctx, granted, undefined)
      return inTransaction(now => {
        const row = postComment(ctx, { ...now, origin: by.origin }, { body: comment }, revision)
        return { to: `${path}#comment-${row.id}` }
      })
    }

    // The revision that was looked at is the one that is reviewed, if it is still the head.
    const current = await currentChangeRequest(ctx, changeRequest)
    if (current.revision !== body.revision) throw hasChanged(current.revision)
    return inTransaction(now => {
      if (!atLeast(now.role, 'review'))
        throw new Fault(
          'role_required',
          `This needs the role "review" in the space; yours is "${now.role}".`,
        )
      if (comment) checkPace(ctx, now)
      submitReview(ctx, {
        space: now.space,
        changeRequest: current,
        by: now.user,
        status: what,
        comment,
        origin: by.origin,
      })
      return { to: path, notice: notices[what] }
    })
  },
})

/** Asks for a review, or does not any more. */
export const reviewersForm = form({
  path: '/s/:spaceId/changes/:changeRequestId/reviewers',
  scope: 'change-requests:write',
  access: changeRequest('edit'),
  body: z
    .object({ user: z.string().max(100).optional(), remove: z.string().max(100).optional() })
    .refine(
      ({ user, remove }) => (user === undefined) !== (remove === undefined),
      'names one user',
    ),
  shownOn: onOverview,
  act: async ({ ctx, changeRequest, body: { user: asked, remove }, by }) => {
    const current = await currentChangeRequest(ctx, changeRequest)
    const to = `${requestPath(changeRequest)}#reviewers`
    return inTransaction(({ space, user }) => {
      const order = { space, changeRequest: current, by: user, origin: by.origin }
      if (remove !== undefined) removeRequestedReviewer(ctx, { ...order, userId: remove })
      if (asked !== undefined) requestReviewers(ctx, { ...order, users: [asked] })
      return { to }
    })
  },
})

/** Returns the path of what a form names as `back`: a page of changes with its view, or the overview. */
function pageOf(overview: string, back: string): string {
  const [id = '', query] = back.split('?')
  const page = overview + (id && `/pages/${encodeURIComponent(id)}`)
  return withQuery(page, { view: query?.replace('view=', '') })
}

/** Replies to, edits, deletes, resolves or reopens a comment. */
export const commentForm = form({
  path: '/s/:spaceId/changes/:changeRequestId/comments/:commentId',
  scope: 'comments:write',
  access: changeRequest('comment'),
  body: ThreadBody,
  shownOn: (params, values) => pageOf(onOverview(params), values.get('back') ?? ''),
  act: ({ ctx, changeRequest, params: { commentId }, body, by: { origin } }) => {
    const page = pageOf(requestPath(changeRequest), body.back)
    return inTransaction(now => actOnThread(ctx, { ...now, origin }, { commentId, body, page }))
  },
})
