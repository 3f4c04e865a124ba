import { mergeRulesOf } from '../../access/guards/primary.ts'
import { atLeast } from '../../access/roles.ts'
import { roleOnSpace } from '../../access/space-role.ts'
import type { Context } from '../../context.ts'
import type { Oid } from '../../lib/oid.ts'
import { type LatestReviewRow, listLatestReviews } from '../../store/discussions/reviews.ts'
import type { ChangeRequestRow, SpaceRow, UserRow } from '../../store/tables/rows.ts'
import { descriptionText } from './description.ts'
import { findUnmetRules, type UnmetRule } from './merge-rules.ts'
import { mergeScope } from './merge-scope.ts'

/** A merge of a revision of a change request into a revision of the primary content. */
type ProposedMerge = {
  space: SpaceRow
  row: ChangeRequestRow
  head: Oid
  primaryHead: Oid
  /** `head` lacks something of the primary content. */
  outdated: boolean
  by: UserRow
}

/**
 * What the merge rules say about a merge, and the approvals that count, by users who wrote none of
 * it.
 */
type Judgement = { unmet: UnmetRule[]; approvals: LatestReviewRow[] }

/** The merge rules that depend on whether a change request is outdated. */
const needOutdated = new Set(['require_up_to_date_change_request', 'custom'])

/** Returns whether a merge rule of a space depends on whether a change request is outdated. */
export const asksOutdated = (ctx: Context, space: SpaceRow): boolean =>
  mergeRulesOf(ctx, space).some(({ rule }) => needOutdated.has(rule))

/**
 * Judges a merge by the rules of the space and the reviews of this revision, regardless of who may
 * ignore rules.
 */
export function judgeMerge(ctx: Context, merge: ProposedMerge): Judgement {
  const { space, row, head, outdated, by } = merge
  const reviews = reviewsOf(ctx, space, row, head)
  const unmet = findUnmetRules(mergeRulesOf(ctx, space), {
    changeRequest: {
      subject: row.subject,
      description: descriptionText(row),
      createdBy: row.created_by,
      outdated,
    },
    reviews: reviews.map(({ reviewer_id: id, is_agent, status, wrote }) => ({
      reviewer: { id, isAgent: is_agent === 1 },
      status,
      outdated: false,
      wrote,
    })),
    actor: { id: by.id },
    scope: () =>
      mergeScope(ctx.store, {
        space,
        revision: merge.primaryHead,
        changeRequest: row,
        outdated,
        reviews,
        by,
      }),
  })

  return {
    unmet,
    approvals: reviews.filter(review => review.status === 'approved' && !review.wrote),
  }
}

type Review = LatestReviewRow & { wrote: boolean }

/**
 * Returns the latest review of a revision by each permitted reviewer except the author; `wrote`:
 * they contributed to it.
 */
function reviewsOf(ctx: Context, space: SpaceRow, row: ChangeRequestRow, head: Oid): Review[] {
  return listLatestReviews(ctx.store, row.id, head)
    .filter(
      ({ reviewer_id: id }) =>
        id !== row.created_by && atLeast(roleOnSpace(ctx, space, id), 'review'),
    )
    .map(review => ({ ...review, wrote: review.is_writer === 1 }))
}
