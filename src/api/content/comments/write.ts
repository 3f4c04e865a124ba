import type { z } from 'zod'
import type { RequestFacts } from '../../../access/asker.ts'
import type { CommentsGrant } from '../../../access/guards/comment.ts'
import {
  editComment as edit,
  editReply as editOfReply,
} from '../../../actions/comments/edit-comment.ts'
import {
  postComment as post,
  postReply as reply,
  revisionToComment,
} from '../../../actions/comments/post-comment.ts'
import {
  removeComment as remove,
  removeReply as removeOfReply,
} from '../../../actions/comments/remove-comment.ts'
import type { Context } from '../../../context.ts'
import { inTransaction } from '../../../http/endpoint.ts'
import type { BodyFormat } from './body-schema.ts'
import { commentLoader, replyLoader } from './load.ts'
import { viewerOf } from './present.ts'
import type { CommentEdit, NewComment, NewReply } from './schema.ts'

/** The common input of the operations on comments. */
export type CommentsInput = CommentsGrant & { ctx: Context; request: RequestFacts }

type OfComment = CommentsInput & { params: { commentId: string } }
type OfReply = CommentsInput & { params: { commentId: string; commentReplyId: string } }
type Edit = z.output<typeof CommentEdit>

/** Posts a comment; see the action. */
export async function postComment(input: CommentsInput & { body: z.output<typeof NewComment> }) {
  const { ctx, body, request } = input
  const revision = await revisionToComment(ctx, input, body.page)
  return inTransaction((granted: CommentsGrant) => {
    const row = post(ctx, { ...granted, origin: request.origin }, body, revision)
    return commentLoader.one(ctx, row, viewerOf(granted))
  })
}

/** Posts a reply to a comment; see the action. */
export const postReply = ({
  ctx,
  request,
  params,
  body,
  query,
}: OfComment & {
  body: z.output<typeof NewReply>
  query?: { format: BodyFormat } | undefined
}) =>
  inTransaction((granted: CommentsGrant) => {
    const row = reply(ctx, { ...granted, origin: request.origin }, params.commentId, body.body)
    return replyLoader.one(ctx, row, viewerOf(granted), query?.format)
  })

/** Updates a comment; omitted properties stay unchanged. */
export const editComment = ({ ctx, request, params, body }: OfComment & { body: Edit }) =>
  inTransaction((granted: CommentsGrant) => {
    const row = edit(ctx, { ...granted, origin: request.origin }, params.commentId, body)
    return commentLoader.one(ctx, row, viewerOf(granted))
  })

/** Updates a reply in the same way; `resolved` applies to its comment. */
export const editReply = ({ ctx, request, params, body }: OfReply & { body: Edit }) =>
  inTransaction((granted: CommentsGrant) => {
    const row = editOfReply(ctx, { ...granted, origin: request.origin }, params, body)
    return replyLoader.one(ctx, row, viewerOf(granted))
  })

/** Deletes a comment with its replies. */
export const removeComment = ({ ctx, request, params }: OfComment) =>
  inTransaction((granted: CommentsGrant) =>
    remove(ctx, { ...granted, origin: request.origin }, params.commentId),
  )

/** Deletes a reply. */
export const removeReply = ({ ctx, request, params }: OfReply) =>
  inTransaction((granted: CommentsGrant) =>
    removeOfReply(ctx, { ...granted, origin: request.origin }, params),
  )
