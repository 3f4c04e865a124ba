import type { Context } from '../../context.ts'
import type { Commit } from '../../git/values/parse.ts'
import { inSlices } from '../../lib/slices.ts'
import { type CommentScope, findComment, listComments } from '../../store/discussions/comments.ts'
import { listRequestedReviewers } from '../../store/discussions/requested-reviewers.ts'
import { listReviews } from '../../store/discussions/reviews.ts'
import { listAuditEvents } from '../../store/events/audit-events.ts'
import type { Store } from '../../store/store.ts'
import type { ChangeRequestRow, CommentRow, ReviewRow, SpaceRow } from '../../store/tables/rows.ts'
import { latestCommits } from './commits.ts'

/** Something that happened to a change request, at an ISO time, by a user if that is known. */
export type Happening = { at: string; userId: string | null } & (
  | { kind: 'opened' | 'archived' | 'reopened' | 'merged' }
  | { kind: 'asked'; reviewer: string }
  | { kind: 'comment'; comment: CommentRow }
  | { kind: 'review'; review: ReviewRow; comment: CommentRow | undefined }
  | { kind: 'commit'; commit: Commit }
)

/**
 * A part of what happened, oldest first; `earlier` is the `seq` before which there are more
 * comments, and `later` says whether there are more after it.
 */
type Conversation = { happenings: Happening[]; earlier: number | undefined; later: boolean }

/**
 * Which part: the comments before the one with the `seq` of `before`, or the latest ones. With the id
 * of a comment, and without `before`, the part that ends with it unless it is among the latest.
 */
export type Around = { before?: number | undefined; comment?: string | undefined }

const mostComments = 50
const mostReviews = 200
const mostReviewers = 100
const mostCommits = 100
const mostEvents = 200

/**
 * Returns what happened to a change request around its latest comments, or those before the one
 * with this `seq`.
 */
export async function conversationOf(
  ctx: Context,
  { space, request, ...around }: { space: SpaceRow; request: ChangeRequestRow } & Around,
): Promise<Conversation> {
  const { store } = ctx
  const scope = { spaceId: space.id, changeRequestId: request.id }
  const before = around.before ?? endOf(store, scope, around.comment)
  const newest = listComments(store, scope, all, {
    order: 'desc',
    limit: mostComments + 1,
    after: before,
  })
  const comments = newest.slice(0, mostComments)
  const oldest = comments.at(-1)
  const earlier = newest.length > mostComments ? oldest?.seq : undefined
  const [later] =
    before === undefined
      ? []
      : listComments(store, scope, all, { order: 'asc', limit: 1, after: before - 1 })
  const from = earlier === undefined ? '' : (oldest?.posted_at ?? '')
  const until = later?.posted_at

  const happenings = [
    ...said(ctx, request, comments),
    ...(await latestCommits(ctx, request, mostCommits)).map(madeIn),
    ...(await changedStatus(ctx, space, request)),
    ...listRequestedReviewers(store, request.id, mostReviewers).map(
      ({ user_id: reviewer, requested_by: userId, created_at: at }): Happening => ({
        kind: 'asked',
        ...{ at, userId, reviewer },
      }),
    ),
  ].filter(({ at }) => at >= from && (until === undefined || at < until))

  return {
    happenings: happenings.sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0)),
    earlier,
    later: later !== undefined,
  }
}

const all = { status: 'all' as const }

/** Returns the `seq` after a comment that is not among the latest ones. */
function endOf(store: Store, scope: CommentScope, id: string | undefined): number | undefined {
  const row = id === undefined ? undefined : findComment(store, scope, id)
  if (!row) return undefined
  const newer = { order: 'asc', limit: mostComments, after: row.seq } as const
  return listComments(store, scope, all, newer).length < mostComments ? undefined : row.seq + 1
}

/** Returns comments and reviews, each review with its comment. */
function said(
  { store }: Context,
  { id, revision }: ChangeRequestRow,
  comments: readonly CommentRow[],
): Happening[] {
  const byReview = new Map(comments.flatMap(row => (row.review_id ? [[row.review_id, row]] : [])))
  const reviews = listReviews(store, id, { head: revision }, mostReviews)
  const shown = new Set(reviews.map(review => review.id))

  return [
    ...reviews.map((review): Happening => {
      const { created_at: at, reviewer_id: userId } = review
      return { kind: 'review', at, userId, review, comment: byReview.get(review.id) }
    }),
    ...comments
      .filter(({ review_id: of }) => of === null || !shown.has(of))
      .map((comment): Happening => {
        const { posted_at: at, posted_by: userId } = comment
        return { kind: 'comment', at, userId, comment }
      }),
  ]
}

const madeIn = (commit: Commit): Happening => ({
  kind: 'commit',
  at: new Date(commit.committer.at * 1000).toISOString(),
  userId: null,
  commit,
})

/** Returns when a change request was opened, archived, opened again, and merged. */
async function changedStatus(
  { store }: Context,
  { organization_id: organizationId }: SpaceRow,
  row: ChangeRequestRow,
): Promise<Happening[]> {
  const events = await inSlices(
    listAuditEvents(store, organizationId, { targetId: row.id }, mostEvents),
  )
  const moved = events.flatMap(
    ({ action, user_id: userId, created_at: at, details }): Happening[] => {
      if (action === 'change_request.archived') return [{ kind: 'archived', at, userId }]
      const { status } = (details ?? {}) as { status?: { from?: string } }
      const isAgain = action === 'change_request.opened' && status?.from === 'archived'
      return isAgain ? [{ kind: 'reopened', at, userId }] : []
    },
  )

  return [
    { kind: 'opened', at: row.created_at, userId: row.created_by },
    ...moved,
    ...(row.merged_at === null
      ? []
      : [{ kind: 'merged' as const, at: row.merged_at, userId: row.merged_by }]),
  ]
}
