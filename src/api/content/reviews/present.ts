import type { z } from 'zod'
import { mustGet } from '../../../lib/must-get.ts'
import type { RequestedReviewerRow, ReviewRow, UserRow } from '../../../store/tables/rows.ts'
import { presentUser } from '../../base/users/present.ts'
import type { RequestedReviewer, Review } from './schema.ts'

type Facts = {
  users: ReadonlyMap<string, UserRow>
  /** The prefix of `urls.*`. */
  base: string
}

/** Returns a requested reviewer; `users` has everyone they name. */
export const presentRequestedReviewer = (
  row: RequestedReviewerRow,
  { users, base }: Facts,
): z.input<typeof RequestedReviewer> => ({
  object: 'change-request-requested-reviewer',
  revision: row.revision,
  requestedBy: presentUser(mustGet(users, row.requested_by), base),
  createdAt: row.created_at,
  kind: 'user',
  user: presentUser(mustGet(users, row.user_id), base),
})

/** Returns a review of a change request whose current revision is `head`. */
export const presentReview = (
  row: ReviewRow,
  {
    users,
    base,
    head,
    comment,
  }: Facts & { head: string; comment: z.input<typeof Review>['comment'] },
): z.input<typeof Review> => ({
  object: 'change-request-review',
  id: row.id,
  revision: row.revision,
  reviewer: presentUser(mustGet(users, row.reviewer_id), base),
  ...(row.requested_by !== null && {
    requestedBy: presentUser(mustGet(users, row.requested_by), base),
  }),
  status: row.status,
  outdated: row.revision !== head,
  ...(comment && { comment }),
  createdAt: row.created_at,
  updatedAt: row.updated_at,
  urls: {
    location: `${base}/v1/spaces/${row.space_id}/change-requests/${row.change_request_id}/reviews/${row.id}`,
  },
})
