import type { Oid } from '../../lib/oid.ts'
import { findReview, type LatestReviewRow } from '../../store/discussions/reviews.ts'
import { emailIn, findUser, findUsers } from '../../store/people/users.ts'
import type { Store } from '../../store/store.ts'
import type { ChangeRequestRow, ReviewRow, SpaceRow, UserRow } from '../../store/tables/rows.ts'
import { descriptionOf } from './description.ts'
import type { ExpressionName } from './merge-rules.ts'

type Facts = {
  space: SpaceRow
  /** The primary head. */
  revision: Oid
  changeRequest: ChangeRequestRow
  outdated: boolean
  /** The reviews of the current revision; `wrote`: the reviewer contributed to the content. */
  reviews: readonly (LatestReviewRow & { wrote: boolean })[]
  /** The merging user. */
  by: UserRow
}

/**
 * Returns the variables of a merge rule's expression: the resources as the API shows them, as plain
 * data, without `urls`, `permissions` and comments. Approvals by contributors are left out; their
 * requests for changes have `counts: false`.
 */
export function mergeScope(store: Store, facts: Facts): Record<ExpressionName, unknown> {
  const { changeRequest, by } = facts
  const reviews = facts.reviews.flatMap(({ id, status, wrote }) => {
    const row = wrote && status === 'approved' ? undefined : findReview(store, changeRequest.id, id)
    return row ? [{ row, counts: !wrote }] : []
  })
  const named = reviews.flatMap(({ row: review }) =>
    [review.reviewer_id, review.requested_by ?? []].flat(),
  )
  const users = findUsers(store, [changeRequest.created_by, ...named])
  const organizationId = facts.space.organization_id
  const userOf = (id: string) => showUser(users.get(id), organizationId)

  return {
    space: showSpace(facts),
    changeRequest: { ...showChangeRequest(facts), createdBy: userOf(changeRequest.created_by) },
    reviews: reviews.map(({ row: review, counts }) => ({
      ...showReview(review),
      counts,
      reviewer: userOf(review.reviewer_id),
      ...(review.requested_by !== null && { requestedBy: userOf(review.requested_by) }),
    })),
    actor: showUser(findUser(store, by.id), organizationId),
  }
}

const showUser = (row: UserRow | undefined, organizationId: string) =>
  row && {
    object: 'user',
    id: row.id,
    displayName: row.display_name,
    ...(emailIn(row, organizationId) !== null && { email: row.email }),
    ...(row.photo_url !== null && { photoURL: row.photo_url }),
  }

const showSpace = ({ space, revision }: Facts) => ({
  object: 'space',
  id: space.id,
  title: space.title,
  emoji: space.emoji,
  visibility: space.visibility,
  createdAt: space.created_at,
  updatedAt: space.updated_at,
  editMode: space.edit_mode,
  organization: space.organization_id,
  ...(space.collection_id !== null && { parent: space.collection_id }),
  ...(space.language !== null && { language: space.language }),
  revision,
  defaultLevel: space.default_level,
  comments: space.open_comments,
})

const showChangeRequest = ({ changeRequest: row, outdated }: Facts) => ({
  object: 'change-request',
  id: row.id,
  number: row.number,
  status: row.status,
  subject: row.subject,
  ...(row.description !== null && { description: descriptionOf(row) }),
  createdAt: row.created_at,
  updatedAt: row.updated_at,
  space: row.space_id,
  revision: row.revision,
  revisionInitial: row.revision_initial,
  ...(row.revision_merged_ancestor !== null && {
    revisionMergedAncestor: row.revision_merged_ancestor,
  }),
  comments: row.open_comments,
  outdated,
  ...(row.conversations_issues_cluster !== null && {
    conversationsIssuesCluster: row.conversations_issues_cluster,
  }),
})

const showReview = (row: ReviewRow) => ({
  object: 'change-request-review',
  id: row.id,
  revision: row.revision,
  status: row.status,
  // Reviews of other revisions are left out.
  outdated: false,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
})
