import type { RequestFacts } from '../../access/asker.ts'
import type { CommentsGrant } from '../../access/guards/comment.ts'
import { checkRole } from '../../access/guards/role-now.ts'
import { roleOnSpace } from '../../access/guards/space.ts'
import type { EventAction } from '../../actions/events/audit-event.ts'
import { recordEvent } from '../../actions/events/record-event.ts'
import type { Context } from '../../context.ts'
import { missing } from '../../errors.ts'
import { findReply } from '../../store/discussions/comment-replies.ts'
import { type CommentScope, findComment } from '../../store/discussions/comments.ts'
import { findSpace } from '../../store/spaces/spaces.ts'
import type { CommentReplyRow, CommentRow, SpaceRow } from '../../store/tables/rows.ts'
import type { Viewer } from './present.ts'

/** What every operation on comments has at hand. */
export type Asked = CommentsGrant & { ctx: Context; request: RequestFacts }

/** Where the comments stand that were asked for, as the store has it. */
export const scopeOf = ({ space, changeRequest }: CommentsGrant): CommentScope => ({
  spaceId: space.id,
  changeRequestId: changeRequest?.id ?? null,
})

/**
 * The one who writes, and the space, as they are now: to be asked in the transaction that writes. Throws when they may
 * not comment any more.
 */
export function writerNow({ ctx, space, user }: Asked): Viewer & { space: SpaceRow } {
  checkRole(ctx, space.id, user.id, 'comment')
  const now = findSpace(ctx.store, space.id)!
  return { userId: user.id, role: roleOnSpace(ctx, now, user.id)!, space: now }
}

/** The comment with this id in the scope. Throws 'missing'. */
export function commentOf(asked: Asked, id: string): CommentRow {
  const row = findComment(asked.ctx.store, scopeOf(asked), id)
  if (!row) throw missing('comment', id)
  return row
}

/** The reply with this id to a comment. Throws 'missing'. */
export function replyOf(asked: Asked, comment: CommentRow, id: string): CommentReplyRow {
  const row = findReply(asked.ctx.store, comment.id, id)
  if (!row) throw missing('reply', id)
  return row
}

/** Writes down what happened to a comment, or to the reply of it that is given. */
export function noteHappening(
  { ctx, request }: Asked,
  action: EventAction,
  writer: Viewer & { space: SpaceRow },
  { comment, reply, at, ...details }: HappeningTo,
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
    at,
  })
}

type HappeningTo = {
  comment: CommentRow
  reply?: CommentReplyRow | undefined
  at: string
  reactions?: { added: number; removed: number } | undefined
}
