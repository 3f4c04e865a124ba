import { isDeepStrictEqual } from 'node:util'
import type { z } from 'zod'
import type { CommentsGrant } from '../../../access/guards/comment.ts'
import { atLeast } from '../../../access/roles.ts'
import { forbidden } from '../../../errors.ts'
import { inTransaction } from '../../../http/endpoint.ts'
import { updateReply } from '../../../store/discussions/comment-replies.ts'
import { updateComment } from '../../../store/discussions/comments.ts'
import type { CommentReplyRow, CommentRow } from '../../../store/tables/rows.ts'
import { commentLoader, replyLoader } from './load.ts'
import type { Viewer } from './present.ts'
import { react } from './react.ts'
import type { CommentEdit } from './schema.ts'
import {
  type CommentsInput,
  commentOf,
  recordCommentEvent,
  replyOf,
  type Writer,
  writerOf,
} from './scope.ts'

type Edit = z.output<typeof CommentEdit>

/**
 * Updates the text, status and the caller's reactions of a comment; omitted properties stay
 * unchanged.
 */
export const editComment = (input: CommentsInput & { params: { commentId: string }; body: Edit }) =>
  inTransaction((granted: CommentsGrant) => {
    const { ctx, params, body } = input
    const writer = writerOf(granted)
    const before = commentOf(input, params.commentId)
    const text = newText(before, writer, body, 'comment')
    const at = ctx.now().toISOString()
    let row = before
    if (text !== undefined) row = updateComment(ctx.store, row.id, { body: text, edited_at: at })!

    const reactions = react(ctx, { commentId: row.id, replyId: '' }, writer.userId, body)
    if (text !== undefined || reactions)
      recordCommentEvent(input, 'comment.updated', writer, { comment: row, reactions })
    row = settle(input, row, writer, body.resolved, at)

    return commentLoader.one(ctx, row, writer)
  })

/** Updates a reply in the same way; `resolved` applies to its comment. */
export const editReply = (
  input: CommentsInput & { params: { commentId: string; commentReplyId: string }; body: Edit },
) =>
  inTransaction((granted: CommentsGrant) => {
    const { ctx, params, body } = input
    const writer = writerOf(granted)
    const comment = commentOf(input, params.commentId)
    let row = replyOf(input, comment, params.commentReplyId)
    const text = newText(row, writer, body, 'reply')
    const at = ctx.now().toISOString()
    if (text !== undefined) row = updateReply(ctx.store, row.id, { body: text, edited_at: at })!

    const reactions = react(ctx, { commentId: comment.id, replyId: row.id }, writer.userId, body)
    if (text !== undefined || reactions)
      recordCommentEvent(input, 'reply.updated', writer, { comment, reply: row, reactions })
    settle(input, comment, writer, body.resolved, at)

    return replyLoader.one(ctx, row, writer)
  })

/**
 * Returns the new text; undefined when it stays. Throws 'forbidden' for another
 * user's text.
 */
function newText(
  row: CommentRow | CommentReplyRow,
  writer: Viewer,
  { body }: Edit,
  what: 'comment' | 'reply',
): CommentRow['body'] | undefined {
  if (body === undefined) return undefined
  if (row.posted_by !== writer.userId) throw forbidden(`Only its author can edit a ${what}.`)
  return isDeepStrictEqual(body, row.body) ? undefined : body
}

/** Resolves or reopens a comment and returns its row. The first resolver and time stay. */
function settle(
  input: CommentsInput,
  comment: CommentRow,
  writer: Writer,
  resolved: boolean | undefined,
  at: string,
): CommentRow {
  if (resolved === undefined) return comment

  if (comment.posted_by !== writer.userId && !atLeast(writer.role, 'review'))
    throw forbidden(
      `Another user's comment can be resolved or reopened with the role "review" in the space; yours is "${writer.role}".`,
    )

  if (resolved === (comment.status === 'resolved')) return comment

  const row = updateComment(input.ctx.store, comment.id, {
    status: resolved ? 'resolved' : 'open',
    resolved_at: resolved ? at : null,
    resolved_by: resolved ? writer.userId : null,
  })!

  recordCommentEvent(input, resolved ? 'comment.resolved' : 'comment.reopened', writer, {
    comment: row,
  })

  return row
}
