import type { z } from 'zod'
import { findOutdated } from '../../../actions/comments/find-outdated.ts'
import { commentOf, replyOf, scopeOf } from '../../../actions/comments/writer.ts'
import { answerList } from '../../../http/list.ts'
import { listReplies } from '../../../store/discussions/comment-replies.ts'
import { listCommentingMembers, listComments } from '../../../store/discussions/comments.ts'
import { loadMembers } from '../../people/members/load.ts'
import type { BodyFormat } from './body-schema.ts'
import { commentLoader, replyLoader } from './load.ts'
import { viewerOf } from './present.ts'
import type { CommentsQuery, RepliesQuery } from './schema.ts'
import type { CommentsInput } from './write.ts'

const nameOf = (input: CommentsInput) => `${input.space.id} ${input.changeRequest?.id ?? ''}`

/** Lists the comments of a scope. */
export function readComments(input: CommentsInput & { query: z.output<typeof CommentsQuery> }) {
  const { ctx, query } = input
  const { order, status, targetPage: page, authors } = query
  const filter = { status, page, authors: authors && [...new Set(authors)].sort() }
  return answerList(ctx, query, {
    name: `comments ${nameOf(input)} ${JSON.stringify([order, filter])}`,
    rows: (limit, after) =>
      listComments(ctx.store, scopeOf(input), filter, { order, limit, after }),
    key: row => row.seq,
    length: row => JSON.stringify(row.body).length,
    show: async rows => {
      const outdated = await findOutdated(ctx, input, rows)
      return commentLoader.many(ctx, rows, viewerOf(input), query.format, outdated)
    },
  })
}

/** Returns one comment. Throws 'missing'. */
export async function readComment(
  input: CommentsInput & { params: { commentId: string }; query: { format: BodyFormat } },
) {
  const { ctx, params, query } = input
  const row = commentOf(ctx, input, params.commentId)
  const outdated = await findOutdated(ctx, input, [row])
  return commentLoader.one(ctx, row, viewerOf(input), query.format, outdated)
}

/** Lists the replies to a comment, oldest first. */
export function readReplies(
  input: CommentsInput & { params: { commentId: string }; query: z.output<typeof RepliesQuery> },
) {
  const { ctx, params, query } = input
  const comment = commentOf(ctx, input, params.commentId)
  return answerList(ctx, query, {
    name: `replies ${comment.id}`,
    rows: (limit, after) => listReplies(ctx.store, comment.id, limit, after),
    key: row => row.seq,
    length: row => JSON.stringify(row.body).length,
    show: rows => replyLoader.many(ctx, rows, viewerOf(input), query.format),
  })
}

/** Returns one reply. Throws 'missing'. */
export function readReply(
  input: CommentsInput & {
    params: { commentId: string; commentReplyId: string }
    query: { format: BodyFormat }
  },
) {
  const { ctx, params, query } = input
  const row = replyOf(ctx, commentOf(ctx, input, params.commentId), params.commentReplyId)
  return replyLoader.one(ctx, row, viewerOf(input), query.format)
}

/** Lists the members of the space's organization with comments or replies in the scope. */
export function readCommenters(
  input: CommentsInput & { query: { page?: string | undefined; limit?: number | undefined } },
) {
  const { ctx, space, query } = input
  const { organization_id: organizationId } = space
  return answerList(ctx, query, {
    name: `commenters ${organizationId} ${nameOf(input)}`,
    rows: (limit, after: string | undefined) =>
      listCommentingMembers(ctx.store, scopeOf(input), organizationId, limit, after),
    key: row => row.user_id,
    show: rows => loadMembers(ctx, organizationId, rows, viewerOf(input).userId),
  })
}
