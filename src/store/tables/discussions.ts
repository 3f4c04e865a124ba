import type { Generated } from 'kysely'
import type { Oid } from '../../lib/oid.ts'
import { ofSpace, table } from './table.ts'

export type ChangeRequestStatus = 'draft' | 'open' | 'archived' | 'merged'

/** The text of a comment or a reply as it was sent, in one of two formats. */
type CommentBody = { markdown?: string | undefined; document?: object | undefined }

type ChangeRequestTable = {
  seq: Generated<number>
  id: string
  space_id: string
  number: number
  status: ChangeRequestStatus
  subject: Generated<string>
  /** A block tree. */
  description: object | null
  created_by: string
  created_at: string
  updated_at: string
  revision: Oid
  revision_initial: Oid
  revision_merged_ancestor: Oid | null
  revision_merged: Oid | null
  merged_by: string | null
  merged_at: string | null
  conversations_issues_cluster: string | null
  /**
   * The name of the branch that it was pushed as; unique among the unmerged change requests of a
   * space.
   */
  branch: string | null
  open_comments: Generated<number>
}

type ContributorTable = {
  change_request_id: string
  user_id: string
  count: number
  updated_at: string
  /** 0: only updates with the primary content. */
  wrote: Generated<number>
}

type CommentTable = {
  seq: Generated<number>
  id: string
  space_id: string
  change_request_id: string | null
  review_id: string | null
  page_id: string | null
  node_id: string | null
  table_record: string | null
  table_definition: string | null
  revision: Oid
  body: CommentBody
  posted_by: string
  posted_at: string
  edited_at: string | null
  status: Generated<'open' | 'resolved'>
  resolved_at: string | null
  resolved_by: string | null
  replies: Generated<number>
}

type CommentReplyTable = {
  seq: Generated<number>
  id: string
  comment_id: string
  space_id: string
  change_request_id: string | null
  body: CommentBody
  posted_by: string
  posted_at: string
  edited_at: string | null
}

/** `change_request_id` is '' for posts in the space itself. */
type CommenterTable = {
  seq: Generated<number>
  change_request_id: string
  space_id: string
  user_id: string
  count: number
  updated_at: string
}

type ReactionTable = {
  comment_id: string
  reply_id: Generated<string>
  emoji: string
  user_id: string
  reacted_at: string
}

type RequestedReviewerTable = {
  seq: Generated<number>
  space_id: string
  change_request_id: string
  user_id: string
  requested_by: string
  revision: Oid
  created_at: string
}

type ReviewTable = {
  seq: Generated<number>
  id: string
  space_id: string
  change_request_id: string
  reviewer_id: string
  requested_by: string | null
  revision: Oid
  status: 'approved' | 'changes-requested'
  comment_id: string | null
  created_at: string
  updated_at: string
}

type ViewedMarkTable = {
  change_request_id: string
  user_id: string
  item_id: string
  /** '' for what the change request removes. */
  blob: Oid | ''
  /** A digest of the reusable content that the page shows; '' if it shows none, and for a file. */
  includes: string
  viewed_at: string
}

/**
 * Kept answers do not show discussions, except for the number of open comments of a space.
 */
export const discussionsTables = {
  change_request: table<ChangeRequestTable>({
    scope: 'derived',
    owner: true,
    json: { description: true },
  }),
  change_request_contributor: table<ContributorTable>({ scope: 'derived', owner: true }),
  // A comment also changes a counter in the row of its space.
  comment: table<CommentTable>({ scope: ofSpace, json: { body: true } }),
  comment_reply: table<CommentReplyTable>({ scope: 'derived', owner: true, json: { body: true } }),
  commenter: table<CommenterTable>({ scope: 'any' }),
  reaction: table<ReactionTable>({ scope: 'derived', owner: true }),
  requested_reviewer: table<RequestedReviewerTable>({ scope: 'derived', owner: true }),
  review: table<ReviewTable>({ scope: 'derived', owner: true }),
  viewed_mark: table<ViewedMarkTable>({ scope: 'derived' }),
}
