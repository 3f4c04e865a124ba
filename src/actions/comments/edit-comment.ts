import { isDeepStrictEqual } from 'node:util'
import type { Context } from '../../context.ts'
import { Fault } from '../../errors.ts'
import { updateReply } from '../../store/discussions/comment-replies.ts'
import { updateComment } from '../../store/discussions/comments.ts'
import type { CommentReplyRow, CommentRow } from '../../store/tables/rows.ts'
import { react } from './react.ts'
import { type CommentWriter, commentOf, maySettle, recordCommentEvent, replyOf } from './writer.ts'

/** Changes of a comment or reply; what is left out stays. */
type CommentEdit = {
  body?: CommentRow['body'] | undefined
  addedReactions?: string[] | undefined
  removedReactions?: string[] | undefined
  resolved?: boolean | undefined
}

/**
 * Updates the text, status and the writer's reactions of a comment. Call inside a transaction.
 * Throws 'missing', and 'forbidden' for the text of another user, or its status without the role
 * `review`.
 */
export function editComment(
  ctx: Context,
  writer: CommentWriter,
  commentId: string,
  edit: CommentEdit,
): CommentRow {
  const before = commentOf(ctx, writer, commentId)
  const text = newText(before, writer, edit, 'comment')
  const at = ctx.now().toISOString()
  let row = before
  if (text !== undefined) row = updateComment(ctx.store, row.id, { body: text, edited_at: at })!

  const reactions = react(ctx, { commentId: row.id, replyId: '' }, writer.user.id, edit)
  if (text !== undefined || reactions)
    recordCommentEvent(ctx, writer, 'comment.updated', { comment: row, reactions })

  return settle(ctx, writer, row, edit.resolved, at)
}

/** Updates a reply in the same way; `resolved` applies to its comment. */
export function editReply(
  ctx: Context,
  writer: CommentWriter,
  { commentId, commentReplyId }: { commentId: string; commentReplyId: string },
  edit: CommentEdit,
): CommentReplyRow {
  const comment = commentOf(ctx, writer, commentId)
  let row = replyOf(ctx, comment, commentReplyId)
  const text = newText(row, writer, edit, 'reply')
  const at = ctx.now().toISOString()
  if (text !== undefined) row = updateReply(ctx.store, row.id, { body: text, edited_at: at })!

  const reactions = react(ctx, { commentId: comment.id, replyId: row.id }, writer.user.id, edit)
  if (text !== undefined || reactions)
    recordCommentEvent(ctx, writer, 'reply.updated', { comment, reply: row, reactions })
  settle(ctx, writer, comment, edit.resolved, at)

  return row
}

/**
 * Returns the new text; undefined when it stays. Throws 'forbidden' for another
 * user's text.
 */
function newText(
  row: CommentRow | CommentReplyRow,
  { user }: CommentWriter,
  { body }: CommentEdit,
  what: 'comment' | 'reply',
): CommentRow['body'] | undefined {
  if (body === undefined) return undefined
  if (row.posted_by !== user.id)
    throw new Fault('author_required', `Only its author can edit a ${what}.`)
  return isDeepStrictEqual(body, row.body) ? undefined : body
}

/** Resolves or reopens a comment and returns its row. The first resolver and time stay. */
function settle(
  ctx: Context,
  writer: CommentWriter,
  comment: CommentRow,
  resolved: boolean | undefined,
  at: string,
): CommentRow {
  if (resolved === undefined) return comment

  if (!maySettle(comment, writer))
    throw new Fault(
      'role_required',
      `Another user's comment can be resolved or reopened with the role "review" in the space; yours is "${writer.role}".`,
    )

  if (resolved === (comment.status === 'resolved')) return comment

  const row = updateComment(ctx.store, comment.id, {
    status: resolved ? 'resolved' : 'open',
    resolved_at: resolved ? at : null,
    resolved_by: resolved ? writer.user.id : null,
  })!

  recordCommentEvent(ctx, writer, resolved ? 'comment.resolved' : 'comment.reopened', {
    comment: row,
  })

  return row
}
