import type { z } from 'zod'
import { atLeast } from '../../access/roles.ts'
import { forbidden } from '../../errors.ts'
import { atOnce } from '../../http/endpoint.ts'
import { updateReply } from '../../store/discussions/comment-replies.ts'
import { updateComment } from '../../store/discussions/comments.ts'
import type { CommentReplyRow, CommentRow } from '../../store/tables/rows.ts'
import { type Asked, commentOf, noteHappening, replyOf, writerNow } from './asked.ts'
import { keepBody } from './body.ts'
import { loadComment, loadReply } from './load.ts'
import type { Viewer } from './present.ts'
import { react } from './react.ts'
import type { CommentEdit } from './schema.ts'

type Edit = z.output<typeof CommentEdit>
type Writer = ReturnType<typeof writerNow>

/** Changes the text, the status and the caller's reactions of a comment; what is not named stays as it is. */
export const editComment = (asked: Asked & { params: { commentId: string }; body: Edit }) =>
  atOnce(() => {
    const { ctx, params, body } = asked
    const writer = writerNow(asked)
    const before = commentOf(asked, params.commentId)
    const text = newText(before, writer, body, 'comment')
    const at = ctx.now().toISOString()
    let row = before
    if (text !== undefined) row = updateComment(ctx.store, row.id, { body: text, edited_at: at })!
    const reactions = react(ctx, { commentId: row.id, replyId: '' }, writer.userId, body)
    if (text !== undefined || reactions)
      noteHappening(asked, 'comment.updated', writer, { comment: row, at, reactions })
    row = settle(asked, row, writer, body.resolved, at)
    return loadComment(ctx, row, writer)
  })

/** The same of a reply; `resolved` is of its comment. */
export const editReply = (
  asked: Asked & { params: { commentId: string; commentReplyId: string }; body: Edit },
) =>
  atOnce(() => {
    const { ctx, params, body } = asked
    const writer = writerNow(asked)
    const comment = commentOf(asked, params.commentId)
    let row = replyOf(asked, comment, params.commentReplyId)
    const text = newText(row, writer, body, 'reply')
    const at = ctx.now().toISOString()
    if (text !== undefined) row = updateReply(ctx.store, row.id, { body: text, edited_at: at })!
    const reactions = react(ctx, { commentId: comment.id, replyId: row.id }, writer.userId, body)
    if (text !== undefined || reactions)
      noteHappening(asked, 'reply.updated', writer, { comment, reply: row, at, reactions })
    settle(asked, comment, writer, body.resolved, at)
    return loadReply(ctx, row, writer)
  })

/** The text to write, as it is kept; undefined when it stays as it is. Throws 'forbidden' for what somebody else wrote. */
function newText(
  row: CommentRow | CommentReplyRow,
  writer: Viewer,
  { body }: Edit,
  what: 'comment' | 'reply',
): string | undefined {
  if (body === undefined) return undefined
  if (row.posted_by !== writer.userId)
    throw forbidden(`Only who posted a ${what} changes its text; you may reply to it.`)
  const text = keepBody(body)
  return text === row.body ? undefined : text
}

/** Resolves a comment or opens it again; the row as it is then. Who resolved it first, and when, stays. */
function settle(
  asked: Asked,
  comment: CommentRow,
  writer: Writer,
  resolved: boolean | undefined,
  at: string,
): CommentRow {
  if (resolved === undefined) return comment
  if (comment.posted_by !== writer.userId && !atLeast(writer.role, 'review'))
    throw forbidden(
      `This needs the role "review" in the space, for the comment is somebody else's; yours is "${writer.role}".`,
    )
  if (resolved === (comment.status === 'resolved')) return comment
  const row = updateComment(asked.ctx.store, comment.id, {
    status: resolved ? 'resolved' : 'open',
    resolved_at: resolved ? at : null,
    resolved_by: resolved ? writer.userId : null,
  })!
  noteHappening(asked, resolved ? 'comment.resolved' : 'comment.reopened', writer, { comment: row, at })
  return row
}
