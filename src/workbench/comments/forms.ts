import { z } from 'zod'
import { spaceComments } from '../../access/guards/comment.ts'
import { CommentText } from '../../actions/comments/comment-text.ts'
import { postComment, revisionToComment } from '../../actions/comments/post-comment.ts'
import { inTransaction } from '../../http/endpoint.ts'
import { form } from '../frame/page.ts'
import { actOnThread, ThreadBody } from './act-on-thread.ts'

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

/** Replies to, edits, deletes, resolves or reopens a comment on a page of a space. */
export const threadForm = form({
  path: '/s/:spaceId/p/:pageId/comments/:commentId',
  scope: 'comments:write',
  access: spaceComments('comment'),
  body: ThreadBody,
  shownOn: pathOf,
  act: ({ ctx, by: { origin }, params, body }) =>
    inTransaction(now =>
      actOnThread(
        ctx,
        { ...now, origin },
        { commentId: params.commentId, body, page: pathOf(params) },
      ),
    ),
})
