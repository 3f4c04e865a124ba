import { z } from 'zod'
import { spaceComments } from '../../access/guards/comment.ts'
import { CommentText } from '../../actions/comments/comment-text.ts'
import { editComment } from '../../actions/comments/edit-comment.ts'
import { postComment, postReply, revisionToComment } from '../../actions/comments/post-comment.ts'
import { inTransaction } from '../../http/endpoint.ts'
import { form } from '../frame/page.ts'

type OnPage = { spaceId: string; pageId: string }

const pathOf = ({ spaceId, pageId }: OnPage): string => `/s/${spaceId}/p/${pageId}`

/** Posts a comment on a page of a space. */
export const commentForm = form({
  path: '/s/:spaceId/p/:pageId/comments',
  scope: 'comments:write',
  access: spaceComments('comment'),
  body: z.object({ text: CommentText }),
  shownOn: pathOf,
  act: async ({ ctx, by: { origin }, params, body: { text }, ...granted }) => {
    const revision = await revisionToComment(ctx, granted, params.pageId)
    return inTransaction(now => {
      const comment = { body: { markdown: text }, page: params.pageId }
      const { id } = postComment(ctx, { ...now, origin }, comment, revision)
      return { to: `${pathOf(params)}#comment-${id}`, notice: 'Your comment was posted.' }
    })
  },
})

/** Replies to a comment on a page of a space. */
export const replyForm = form({
  path: '/s/:spaceId/p/:pageId/comments/:commentId/replies',
  scope: 'comments:write',
  access: spaceComments('comment'),
  body: z.object({ text: CommentText }),
  shownOn: pathOf,
  act: ({ ctx, by: { origin }, params, body: { text } }) =>
    inTransaction(now => {
      postReply(ctx, { ...now, origin }, params.commentId, { markdown: text })
      return {
        to: `${pathOf(params)}#comment-${params.commentId}`,
        notice: 'Your reply was posted.',
      }
    }),
})

/** Resolves a comment, or opens it again. */
export const commentStatusForm = form({
  path: '/s/:spaceId/p/:pageId/comments/:commentId/status',
  scope: 'comments:write',
  access: spaceComments('comment'),
  body: z.object({ status: z.enum(['open', 'resolved']) }),
  shownOn: pathOf,
  act: ({ ctx, by: { origin }, params, body: { status } }) =>
    inTransaction(now => {
      const resolved = status === 'resolved'
      editComment(ctx, { ...now, origin }, params.commentId, { resolved })
      return {
        to: `${pathOf(params)}#comment-${params.commentId}`,
        notice: resolved ? 'The comment is resolved.' : 'The comment is open again.',
      }
    }),
})
