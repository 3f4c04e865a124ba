import { forbidden } from '../../errors.ts'
import { atOnce } from '../../http/endpoint.ts'
import { deleteReply, findReply } from '../../store/discussions/comment-replies.ts'
import { deleteComment, findComment } from '../../store/discussions/comments.ts'
import type { CommentReplyRow, CommentRow } from '../../store/tables/rows.ts'
import { type Asked, noteHappening, scopeOf, writerNow } from './asked.ts'
import { permissionsOf, type Viewer } from './present.ts'

/** Removes a comment with its replies; one that is not there is none. */
export const removeComment = (asked: Asked & { params: { commentId: string } }) =>
  atOnce(() => {
    const { ctx, params } = asked
    const writer = writerNow(asked)
    const row = findComment(ctx.store, scopeOf(asked), params.commentId)
    if (!row) return undefined
    checkDeletes(row, writer, 'comment')
    deleteComment(ctx.store, row.id)
    noteHappening(asked, 'comment.deleted', writer, { comment: row, at: ctx.now().toISOString() })
    return undefined
  })

/** Removes a reply; one that is not there is none. */
export const removeReply = (asked: Asked & { params: { commentId: string; commentReplyId: string } }) =>
  atOnce(() => {
    const { ctx, params } = asked
    const writer = writerNow(asked)
    const comment = findComment(ctx.store, scopeOf(asked), params.commentId)
    const row = comment && findReply(ctx.store, comment.id, params.commentReplyId)
    if (!comment || !row) return undefined
    checkDeletes(row, writer, 'reply')
    deleteReply(ctx.store, row.id)
    noteHappening(asked, 'reply.deleted', writer, { comment, reply: row, at: ctx.now().toISOString() })
    return undefined
  })

function checkDeletes(row: CommentRow | CommentReplyRow, writer: Viewer, what: 'comment' | 'reply'): void {
  if (!permissionsOf(row, writer).delete)
    throw forbidden(
      `This needs the role "admin" in the space, for the ${what} is somebody else's; yours is "${writer.role}".`,
    )
}
