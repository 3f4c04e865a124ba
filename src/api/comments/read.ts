import type { z } from 'zod'
import type { Context } from '../../context.ts'
import { envelope, pageOf } from '../../http/list.ts'
import { listReplies } from '../../store/discussions/comment-replies.ts'
import { listCommentingMembers, listComments } from '../../store/discussions/comments.ts'
import { loadMembers } from '../members/load.ts'
import { type Asked, commentOf, replyOf, scopeOf } from './asked.ts'
import type { BodyFormat } from './body.ts'
import { loadComment, loadComments, loadReplies, loadReply } from './load.ts'
import type { Viewer } from './present.ts'
import type { CommentsQuery, RepliesQuery } from './schema.ts'

const viewerOf = ({ user, role }: Asked): Viewer => ({ userId: user.id, role })

const nameOf = (asked: Asked) => `${asked.space.id} ${asked.changeRequest?.id ?? ''}`

/** The most characters of texts in one page of a list: a page is shorter where they are long. */
const mostCharacters = 4_000_000

/** A page of a list whose texts are not too much together. */
async function pageOfTexts<Row extends { seq: number; body: string }>(
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
    characters += row.body.length
    return characters > mostCharacters
  })
  return fitting === -1 ? found : page(Math.max(fitting, 1))
}

/** The comments of a scope. */
export async function readComments(asked: Asked & { query: z.output<typeof CommentsQuery> }) {
  const { ctx, query } = asked
  const { order, status, targetPage: page, authors } = query
  const filter = { status, page, authors: authors && [...new Set(authors)].sort() }
  const found = await pageOfTexts(
    ctx,
    `comments ${nameOf(asked)} ${JSON.stringify([order, filter])}`,
    query,
    (limit, after) => listComments(ctx.store, scopeOf(asked), filter, { order, limit, after }),
  )
  return envelope(found, await loadComments(ctx, found.rows, viewerOf(asked), query.format))
}

/** One comment. Throws 'missing'. */
export const readComment = (
  asked: Asked & { params: { commentId: string }; query: { format: BodyFormat } },
) => loadComment(asked.ctx, commentOf(asked, asked.params.commentId), viewerOf(asked), asked.query.format)

/** The replies to a comment, oldest first. */
export async function readReplies(
  asked: Asked & { params: { commentId: string }; query: z.output<typeof RepliesQuery> },
) {
  const { ctx, params, query } = asked
  const comment = commentOf(asked, params.commentId)
  const found = await pageOfTexts(ctx, `replies ${comment.id}`, query, (limit, after) =>
    listReplies(ctx.store, comment.id, limit, after),
  )
  return envelope(found, await loadReplies(ctx, found.rows, viewerOf(asked), query.format))
}

/** One reply. Throws 'missing'. */
export const readReply = (
  asked: Asked & { params: { commentId: string; commentReplyId: string }; query: { format: BodyFormat } },
) => {
  const { ctx, params, query } = asked
  const row = replyOf(asked, commentOf(asked, params.commentId), params.commentReplyId)
  return loadReply(ctx, row, viewerOf(asked), query.format)
}

/** The members of the space's organization who have comments or replies in the scope. */
export async function readCommenters(
  asked: Asked & { query: { page?: string | undefined; limit?: number | undefined } },
) {
  const { ctx, space, query } = asked
  const found = await pageOf(
    ctx,
    `commenters ${space.organization_id} ${nameOf(asked)}`,
    query,
    (limit, after: [string] | undefined) =>
      listCommentingMembers(ctx.store, scopeOf(asked), space.organization_id, limit, after?.[0]),
    row => [row.user_id] as [string],
  )
  return envelope(found, loadMembers(ctx, space.organization_id, found.rows, viewerOf(asked).userId))
}
