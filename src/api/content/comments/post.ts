import type { z } from 'zod'
import type { CommentsGrant } from '../../../access/guards/comment.ts'
import { currentChangeRequest } from '../../../actions/heads/current-change-request.ts'
import { primaryHead } from '../../../actions/heads/primary-head.ts'
import { viewRevision } from '../../../actions/revisions/view-revision.ts'
import { withComputed } from '../../../actions/specs/computed-pages.ts'
import type { Context } from '../../../context.ts'
import { Fault, invalid } from '../../../errors.ts'
import { inTransaction } from '../../../http/endpoint.ts'
import { randomId } from '../../../lib/digest.ts'
import type { Oid } from '../../../lib/oid.ts'
import { insertReply } from '../../../store/discussions/comment-replies.ts'
import { countPosted, insertComment, type Posts } from '../../../store/discussions/comments.ts'
import type { BodyFormat } from './body-schema.ts'
import { commentLoader, replyLoader } from './load.ts'
import type { NewComment, NewReply } from './schema.ts'
import { type CommentsInput, commentOf, recordCommentEvent, scopeOf, writerOf } from './scope.ts'

const hour = 60 * 60 * 1000
/** The limit of all users together in a space, as a multiple of the limit of one user. */
const togetherMore = 10

/**
 * Posts a comment. Throws 'invalid' for a page that the head does not have, 'too_many' above the
 * hourly limit.
 */
export async function postComment(input: CommentsInput & { body: z.output<typeof NewComment> }) {
  const { ctx, space, user, body } = input
  const revision = await headOf(input)
  if (body.page !== undefined) {
    const view = await viewRevision(ctx, space.id, revision)
    const { content } = await withComputed(ctx, space.organization_id, view)
    // Both a computed entry and the pages that it expands to may be commented on.
    if (!content.pageById.has(body.page) && !view.content.pageById.has(body.page))
      throw invalid(
        '"page" in the body: takes the id of a page in the current content, or is left out.',
      )
  }

  return inTransaction((granted: CommentsGrant) => {
    const writer = writerOf(granted)
    const at = checkPace(input)
    const { spaceId, changeRequestId } = scopeOf(input)
    const row = insertComment(ctx.store, {
      id: randomId(),
      space_id: spaceId,
      change_request_id: changeRequestId,
      page_id: body.page ?? null,
      node_id: body.node ?? null,
      table_record: body.tableCell?.record ?? null,
      table_definition: body.tableCell?.definition ?? null,
      revision,
      body: body.body,
      posted_by: user.id,
      posted_at: at,
    })

    recordCommentEvent(input, 'comment.created', writer, { comment: row })

    return commentLoader.one(ctx, row, writer)
  })
}

async function headOf({ ctx, space, changeRequest }: CommentsInput): Promise<Oid> {
  if (changeRequest) return (await currentChangeRequest(ctx, changeRequest)).revision
  return (await primaryHead(ctx, space)).head
}

/** Posts a reply to a comment. Throws 'too_many' above the hourly limit. */
export const postReply = (
  input: CommentsInput & {
    params: { commentId: string }
    body: z.output<typeof NewReply>
    query?: { format: BodyFormat } | undefined
  },
) =>
  inTransaction((granted: CommentsGrant) => {
    const { ctx, user, params, body, query } = input
    const writer = writerOf(granted)
    const comment = commentOf(input, params.commentId)
    const at = checkPace(input)
    const row = insertReply(ctx.store, {
      id: randomId(),
      comment_id: comment.id,
      space_id: comment.space_id,
      change_request_id: comment.change_request_id,
      body: body.body,
      posted_by: user.id,
      posted_at: at,
    })

    recordCommentEvent(input, 'reply.created', writer, { comment, reply: row })

    return replyLoader.one(ctx, row, writer, query?.format)
  })

/**
 * Returns the time of a new comment or reply. Throws 'too_many' when the limit of the last hour is
 * reached.
 */
export function checkPace({
  ctx,
  space,
  user,
}: Pick<CommentsInput, 'ctx' | 'space' | 'user'>): string {
  const now = ctx.now()
  const most = ctx.config.maxCommentsPerHour
  checkCount(ctx, now, { by: user.id }, most, `You have posted ${most} comments and replies`)
  const together = most * togetherMore

  checkCount(
    ctx,
    now,
    { in: space.id },
    together,
    `This space has received ${together} comments and replies`,
  )

  return now.toISOString()
}

function checkCount(ctx: Context, now: Date, posts: Posts, most: number, said: string): void {
  const { count, first } = countPosted(
    ctx.store,
    posts,
    new Date(now.getTime() - hour).toISOString(),
  )
  if (count < most) return
  const minutes =
    first === null ? 1 : Math.ceil((Date.parse(first) + hour - now.getTime()) / 60_000)
  throw new Fault(
    'too_many',
    `${said} within an hour, which is the limit. Try again in ${minutes} ${minutes === 1 ? 'minute' : 'minutes'}.`,
  )
}
