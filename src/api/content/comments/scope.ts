import type { RequestFacts } from '../../../access/asker.ts'
import type { CommentsGrant } from '../../../access/guards/comment.ts'
import type { EventAction } from '../../../actions/events/audit-event.ts'
import { recordEvent } from '../../../actions/events/record-event.ts'
import type { Context } from '../../../context.ts'
import { missing } from '../../../errors.ts'
import { findReply } from '../../../store/discussions/comment-replies.ts'
import { type CommentScope, findComment } from '../../../store/discussions/comments.ts'
import type { CommentReplyRow, CommentRow, SpaceRow } from '../../../store/tables/rows.ts'
import type { Viewer } from './present.ts'

/** The common input of the operations on comments. */
export type CommentsInput = CommentsGrant & { ctx: Context; request: RequestFacts }

/** Returns the scope of the comments in the form that the store takes. */
export const scopeOf = ({ space, changeRequest }: CommentsGrant): CommentScope => ({
  spaceId: space.id,
  changeRequestId: changeRequest?.id ?? null,
})

export type Writer = Viewer & { space: SpaceRow }

/** Returns the author and the space of a grant. */
export const writerOf = ({ space, user, role }: CommentsGrant): Writer => ({
  userId: user.id,
  role,
  space,
})

/** Returns the comment with this id in the scope. Throws 'missing'. */
export function commentOf(input: CommentsInput, id: string): CommentRow {
  const row = findComment(input.ctx.store, scopeOf(input), id)
  if (!row) throw missing('comment', id)
  return row
}

/** Returns the reply with this id to a comment. Throws 'missing'. */
export function replyOf(input: CommentsInput, comment: CommentRow, id: string): CommentReplyRow {
  const row = findReply(input.ctx.store, comment.id, id)
  if (!row) throw missing('reply', id)
  return row
}

/** Records an event on a comment, or on the given reply to it. */
export function recordCommentEvent(
  { ctx, request }: CommentsInput,
  action: EventAction,
  writer: Writer,
  { comment, reply, ...details }: HappeningTo,
): void {
  recordEvent(ctx.store, {
    action,
    organizationId: writer.space.organization_id,
    userId: writer.userId,
    origin: request.origin,
    target: { kind: 'comment', id: comment.id },
    spaceId: comment.space_id,
    details: {
      ...(comment.change_request_id !== null && { changeRequest: comment.change_request_id }),
      ...(comment.page_id !== null && { page: comment.page_id }),
      ...(reply && { reply: reply.id }),
      ...details,
    },
    at: ctx.now().toISOString(),
  })
}

type HappeningTo = {
  comment: CommentRow
  reply?: CommentReplyRow | undefined
  reactions?: { added: number; removed: number } | undefined
}
