import type { z } from 'zod'
import type { Context } from '../../../context.ts'
import type { Oid } from '../../../lib/oid.ts'
import { findComments } from '../../../store/discussions/comments.ts'
import { findShownUsers } from '../../../store/people/users.ts'
import type { RequestedReviewerRow, ReviewRow } from '../../../store/tables/rows.ts'
import type { BodyFormat } from '../comments/body-schema.ts'
import { commentLoader } from '../comments/load.ts'
import type { Viewer } from '../comments/present.ts'
import { presentRequestedReviewer, presentReview } from './present.ts'
import type { RequestedReviewer, Review } from './schema.ts'

/** Returns the requested reviewers as the API shows them, in the given order. */
export function loadRequestedReviewers(
  ctx: Context,
  rows: readonly RequestedReviewerRow[],
  viewerId: string,
): z.input<typeof RequestedReviewer>[] {
  const users = findShownUsers(
    ctx.store,
    viewerId,
    rows.flatMap(row => [row.user_id, row.requested_by]),
  )
  const base = ctx.publicUrl()
  return rows.map(row => presentRequestedReviewer(row, { users, base }))
}

/**
 * Returns reviews of a change request whose revision is `head`, as the viewer sees them, in the
 * given order.
 */
export async function loadReviews(
  ctx: Context,
  rows: readonly ReviewRow[],
  { head, viewer, format }: { head: Oid; viewer: Viewer; format: BodyFormat },
): Promise<z.input<typeof Review>[]> {
  const said = findComments(
    ctx.store,
    rows.flatMap(row => row.comment_id ?? []),
  )

  const comments = new Map(
    (await commentLoader.many(ctx, [...said.values()], viewer, format)).map(comment => [
      comment.id,
      comment,
    ]),
  )
  const users = usersOf(ctx, rows, viewer.userId)
  const base = ctx.publicUrl()

  return rows.map(row =>
    presentReview(row, { users, base, head, comment: comments.get(row.comment_id ?? '') }),
  )
}

/** Returns the users that reviews name, by id. */
export const usersOf = (ctx: Context, rows: readonly ReviewRow[], viewerId: string) =>
  findShownUsers(
    ctx.store,
    viewerId,
    rows.flatMap(row =>
      row.requested_by === null ? row.reviewer_id : [row.reviewer_id, row.requested_by],
    ),
  )
