import type { z } from 'zod'
import type { Context } from '../../../context.ts'
import { envelope, pageOf } from '../../../http/list.ts'
import { listReplies } from '../../../store/discussions/comment-replies.ts'
import { listCommentingMembers, listComments } from '../../../store/discussions/comments.ts'
import type { CommentRow } from '../../../store/tables/rows.ts'
import { loadMembers } from '../../people/members/load.ts'
import type { BodyFormat } from './body-schema.ts'
import { loadComment, loadComments, loadReplies, loadReply } from './load.ts'
import type { Viewer } from './present.ts'
import type { CommentsQuery, RepliesQuery } from './schema.ts'
import { type CommentsInput, commentOf, replyOf, scopeOf } from './scope.ts'

const viewerOf = ({ user, role }: CommentsInput): Viewer => ({ userId: user.id, role })

const nameOf = (input: CommentsInput) => `${input.space.id} ${input.changeRequest?.id ?? ''}`

/**
 * The maximum number of text characters in one page of a list; pages with long texts have fewer
 * items.
 */
const mostCharacters = 4_000_000

/** Returns a page of a list, limited by the total length of its texts. */
async function pageOfTexts<Row extends Pick<CommentRow, 'seq' | 'body'>>(
  ctx: Context,
  list: string,
  query: { page?: string | undefined; limit?: number | undefined },
  read: (limit: number, after: number | undefined) => Row[],
) {
  const page = (limit: number | undefined) =>
    pageOf(
      ctx,
      list,
      { page: query.page, limit },
      (limit, after: [number] | undefined) => read(limit, after?.[0]),
      row => [row.seq] as [number],
    )
  const found = await page(query.limit)
  let characters = 0
  const fitting = found.rows.findIndex(row => {
    characters += JSON.stringify(row.body).length
    return characters > mostCharacters
  })

  return fitting === -1 ? found : page(Math.max(fitting, 1))
}

/** Lists the comments of a scope. */
export async function readComments(
  input: CommentsInput & { query: z.output<typeof CommentsQuery> },
) {
  const { ctx, query } = input
  const { order, status, targetPage: page, authors } = query
  const filter = { status, page, authors: authors && [...new Set(authors)].sort() }
  const found = await pageOfTexts(
    ctx,
    `comments ${nameOf(input)} ${JSON.stringify([order, filter])}`,
    query,
    (limit, after) => listComments(ctx.store, scopeOf(input), filter, { order, limit, after }),
  )

  return envelope(found, await loadComments(ctx, found.rows, viewerOf(input), query.format))
}

/** Returns one comment. Throws 'missing'. */
export const readComment = (
  input: CommentsInput & { params: { commentId: string }; query: { format: BodyFormat } },
) =>
  loadComment(
    input.ctx,
    commentOf(input, input.params.commentId),
    viewerOf(input),
    input.query.format,
  )

/** Lists the replies to a comment, oldest first. */
export async function readReplies(
  input: CommentsInput & { params: { commentId: string }; query: z.output<typeof RepliesQuery> },
) {
  const { ctx, params, query } = input
  const comment = commentOf(input, params.commentId)
  const found = await pageOfTexts(ctx, `replies ${comment.id}`, query, (limit, after) =>
    listReplies(ctx.store, comment.id, limit, after),
  )
  return envelope(found, await loadReplies(ctx, found.rows, viewerOf(input), query.format))
}

/** Returns one reply. Throws 'missing'. */
export function readReply(
  input: CommentsInput & {
    params: { commentId: string; commentReplyId: string }
    query: { format: BodyFormat }
  },
) {
  const { ctx, params, query } = input
  const row = replyOf(input, commentOf(input, params.commentId), params.commentReplyId)
  return loadReply(ctx, row, viewerOf(input), query.format)
}

/** Lists the members of the space's organization with comments or replies in the scope. */
export async function readCommenters(
  input: CommentsInput & { query: { page?: string | undefined; limit?: number | undefined } },
) {
  const { ctx, space, query } = input
  const found = await pageOf(
    ctx,
    `commenters ${space.organization_id} ${nameOf(input)}`,
    query,
    (limit, after: [string] | undefined) =>
      listCommentingMembers(ctx.store, scopeOf(input), space.organization_id, limit, after?.[0]),
    row => [row.user_id] as [string],
  )

  return envelope(
    found,
    loadMembers(ctx, space.organization_id, found.rows, viewerOf(input).userId),
  )
}
