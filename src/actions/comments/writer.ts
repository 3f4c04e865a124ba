import type { Origin } from '../../access/asker.ts'
import type { CommentsGrant } from '../../access/guards/comment.ts'
import { atLeast } from '../../access/roles.ts'
import type { Context } from '../../context.ts'
import { missing } from '../../errors.ts'
import { findReply } from '../../store/discussions/comment-replies.ts'
import { type CommentScope, findComment } from '../../store/discussions/comments.ts'
import type { CommentReplyRow, CommentRow } from '../../store/tables/rows.ts'
import type { EventAction } from '../events/audit-event.ts'
import { recordEvent } from '../events/record-event.ts'

/** Who writes in the comments of a space or a change request, and where their request came from. */
export type CommentWriter = CommentsGrant & { origin: Origin }

/** Returns the scope of the comments in the form that the store takes. */
export const scopeOf = ({
  space,
  changeRequest,
}: Pick<CommentsGrant, 'space' | 'changeRequest'>): CommentScope => ({
  spaceId: space.id,
  changeRequestId: changeRequest?.id ?? null,
})

/** Returns the comment with this id in the scope. Throws 'missing'. */
export function commentOf(ctx: Context, granted: CommentsGrant, id: string): CommentRow {
  const row = findComment(ctx.store, scopeOf(granted), id)
  if (!row) throw missing('comment', id)
  return row
}

/** Returns the reply with this id to a comment. Throws 'missing'. */
export function replyOf(ctx: Context, comment: CommentRow, id: string): CommentReplyRow {
  const row = findReply(ctx.store, comment.id, id)
  if (!row) throw missing('reply', id)
  return row
}

/** Returns what a user with a role in the space may do with a comment or reply. */
export function rightsOn(
  row: { posted_by: string },
  { user, role }: Pick<CommentsGrant, 'role'> & { user: { id: string } },
): { view: true; edit: boolean; reply: boolean; delete: boolean } {
  const comments = atLeast(role, 'comment')
  const own = row.posted_by === user.id
  return {
    view: true,
    edit: comments && own,
    reply: comments,
    delete: comments && (own || role === 'admin'),
  }
}

/** Returns whether a user with a role in the space may resolve or reopen a comment. */
export const maySettle = (
  row: { posted_by: string },
  { user, role }: Pick<CommentsGrant, 'role'> & { user: { id: string } },
): boolean => row.posted_by === user.id || atLeast(role, 'review')

type HappeningTo = {
  comment: CommentRow
  reply?: CommentReplyRow | undefined
  reactions?: { added: number; removed: number } | undefined
}

/** Records an event on a comment, or on the given reply to it. */
export function recordCommentEvent(
  ctx: Context,
  { space, user, origin }: CommentWriter,
  action: EventAction,
  { comment, reply, ...details }: HappeningTo,
): void {
  recordEvent(ctx.store, {
    action,
    organizationId: space.organization_id,
    userId: user.id,
    origin,
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
