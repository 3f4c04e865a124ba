import type { CommentsGrant } from '../../access/guards/comment.ts'
import type { Context } from '../../context.ts'
import { invalid } from '../../errors.ts'
import { randomId } from '../../lib/digest.ts'
import type { Oid } from '../../lib/oid.ts'
import { insertReply } from '../../store/discussions/comment-replies.ts'
import { insertComment } from '../../store/discussions/comments.ts'
import type { CommentReplyRow, CommentRow } from '../../store/tables/rows.ts'
import { currentChangeRequest } from '../heads/current-change-request.ts'
import { primaryHead } from '../heads/primary-head.ts'
import { viewRevision } from '../revisions/view-revision.ts'
import { withComputed } from '../specs/computed-pages.ts'
import { checkPace } from './check-pace.ts'
import { type CommentWriter, commentOf, recordCommentEvent, scopeOf } from './writer.ts'

type NewComment = {
  body: CommentRow['body']
  /** The id of a page in the current content; without one, the comment is on the whole. */
  page?: string | undefined
  node?: string | undefined
  tableCell?: { record: string; definition: string } | undefined
}

/**
 * Returns the revision that a new comment is about: the head of its change request or space. Throws
 * 'invalid' for a page that the head does not have.
 */
export async function revisionToComment(
  ctx: Context,
  { space, changeRequest }: CommentsGrant,
  page: string | undefined,
): Promise<Oid> {
  const revision = changeRequest
    ? (await currentChangeRequest(ctx, changeRequest)).revision
    : (await primaryHead(ctx, space)).head
  if (page === undefined) return revision

  const view = await viewRevision(ctx, space.id, revision)
  const { content } = await withComputed(ctx, space.organization_id, view)
  // Both a computed entry and the pages that it expands to may be commented on.
  if (!content.pageById.has(page) && !view.content.pageById.has(page))
    throw invalid(
      '"page" in the body: takes the id of a page in the current content, or is left out.',
    )

  return revision
}

/** Posts a comment. Call inside a transaction. Throws 'too_many' above the hourly limit. */
export function postComment(
  ctx: Context,
  writer: CommentWriter,
  { body, page, node, tableCell }: NewComment,
  revision: Oid,
): CommentRow {
  const at = checkPace(ctx, writer)
  const { spaceId, changeRequestId } = scopeOf(writer)
  const row = insertComment(ctx.store, {
    id: randomId(),
    space_id: spaceId,
    change_request_id: changeRequestId,
    page_id: page ?? null,
    node_id: node ?? null,
    table_record: tableCell?.record ?? null,
    table_definition: tableCell?.definition ?? null,
    revision,
    body,
    posted_by: writer.user.id,
    posted_at: at,
  })

  recordCommentEvent(ctx, writer, 'comment.created', { comment: row })

  return row
}

/**
 * Posts a reply to a comment. Call inside a transaction. Throws 'missing', and 'too_many' above the
 * hourly limit.
 */
export function postReply(
  ctx: Context,
  writer: CommentWriter,
  commentId: string,
  body: CommentReplyRow['body'],
): CommentReplyRow {
  const comment = commentOf(ctx, writer, commentId)
  const at = checkPace(ctx, writer)
  const row = insertReply(ctx.store, {
    id: randomId(),
    comment_id: comment.id,
    space_id: comment.space_id,
    change_request_id: comment.change_request_id,
    body,
    posted_by: writer.user.id,
    posted_at: at,
  })

  recordCommentEvent(ctx, writer, 'reply.created', { comment, reply: row })

  return row
}
