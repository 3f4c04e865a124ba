import type { CommentsGrant } from '../../../access/guards/comment.ts'
import { forbidden } from '../../../errors.ts'
import { inTransaction } from '../../../http/endpoint.ts'
import { deleteReply, findReply } from '../../../store/discussions/comment-replies.ts'
import { deleteComment, findComment } from '../../../store/discussions/comments.ts'
import type { CommentReplyRow, CommentRow } from '../../../store/tables/rows.ts'
import { permissionsOf, type Viewer } from './present.ts'
import { type CommentsInput, recordCommentEvent, scopeOf, writerOf } from './scope.ts'

/** Deletes a comment with its replies; does nothing when there is none. */
export const removeComment = (input: CommentsInput & { params: { commentId: string } }) =>
  inTransaction((granted: CommentsGrant) => {
    const { ctx, params } = input
    const writer = writerOf(granted)
    const row = findComment(ctx.store, scopeOf(input), params.commentId)
    if (!row) return undefined
    checkDeletes(row, writer, 'comment')
    deleteComment(ctx.store, row.id)
    recordCommentEvent(input, 'comment.deleted', writer, { comment: row })

    return undefined
  })

/** Deletes a reply; does nothing when there is none. */
export const removeReply = (
  input: CommentsInput & { params: { commentId: string; commentReplyId: string } },
) =>
  inTransaction((granted: CommentsGrant) => {
    const { ctx, params } = input
    const writer = writerOf(granted)
    const comment = findComment(ctx.store, scopeOf(input), params.commentId)
    const row = comment && findReply(ctx.store, comment.id, params.commentReplyId)
    if (!comment || !row) return undefined
    checkDeletes(row, writer, 'reply')
    deleteReply(ctx.store, row.id)
    recordCommentEvent(input, 'reply.deleted', writer, { comment, reply: row })

    return undefined
  })

function checkDeletes(
  row: CommentRow | CommentReplyRow,
  writer: Viewer,
  what: 'comment' | 'reply',
): void {
  if (!permissionsOf(row, writer).delete)
    throw forbidden(
      `Another user's ${what} can be deleted with the role "admin" in the space; yours is "${writer.role}".`,
    )
}
