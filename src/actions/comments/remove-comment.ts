import type { Context } from '../../context.ts'
import { Fault } from '../../errors.ts'
import { deleteReply, findReply } from '../../store/discussions/comment-replies.ts'
import { deleteComment, findComment } from '../../store/discussions/comments.ts'
import type { CommentReplyRow, CommentRow } from '../../store/tables/rows.ts'
import { type CommentWriter, recordCommentEvent, rightsOn, scopeOf } from './writer.ts'

/**
 * Deletes a comment with its replies; does nothing when there is none. Call inside a transaction.
 * Throws 'forbidden' for that of another user without the role `admin`.
 */
export function removeComment(ctx: Context, writer: CommentWriter, commentId: string): void {
  const row = findComment(ctx.store, scopeOf(writer), commentId)
  if (!row) return
  checkDeletes(row, writer, 'comment')
  deleteComment(ctx.store, row.id)
  recordCommentEvent(ctx, writer, 'comment.deleted', { comment: row })
}

/** Deletes a reply in the same way. */
export function removeReply(
  ctx: Context,
  writer: CommentWriter,
  { commentId, commentReplyId }: { commentId: string; commentReplyId: string },
): void {
  const comment = findComment(ctx.store, scopeOf(writer), commentId)
  const row = comment && findReply(ctx.store, comment.id, commentReplyId)
  if (!comment || !row) return
  checkDeletes(row, writer, 'reply')
  deleteReply(ctx.store, row.id)
  recordCommentEvent(ctx, writer, 'reply.deleted', { comment, reply: row })
}

function checkDeletes(
  row: CommentRow | CommentReplyRow,
  writer: CommentWriter,
  what: 'comment' | 'reply',
): void {
  if (!rightsOn(row, writer).delete)
    throw new Fault(
      'role_required',
      `Another user's ${what} can be deleted with the role "admin" in the space; yours is "${writer.role}".`,
    )
}
