import type { z } from 'zod'
import { currentChangeRequest } from '../../actions/heads/current-change-request.ts'
import { primaryHead } from '../../actions/heads/reconcile-space.ts'
import { viewRevision } from '../../actions/revisions/view-revision.ts'
import { withComputed } from '../../actions/specs/computed-pages.ts'
import type { Context } from '../../context.ts'
import { Fault, invalid } from '../../errors.ts'
import type { Oid } from '../../git/values/oid.ts'
import { atOnce } from '../../http/endpoint.ts'
import { randomId } from '../../lib/digest.ts'
import { insertReply } from '../../store/discussions/comment-replies.ts'
import { countPosted, insertComment, type Posts } from '../../store/discussions/comments.ts'
import { type Asked, commentOf, noteHappening, scopeOf, writerNow } from './asked.ts'
import { type BodyFormat, keepBody } from './body.ts'
import { loadComment, loadReply } from './load.ts'
import type { NewComment, NewReply } from './schema.ts'

const hour = 60 * 60 * 1000
/** How many times as much as one person all together may post in a space. */
const togetherMore = 10

/** Posts a comment. Throws 'invalid' for a page that the head does not have, 'too_many' when too much was posted lately. */
export async function postComment(asked: Asked & { body: z.output<typeof NewComment> }) {
  const { ctx, space, user, body } = asked
  const revision = await headOf(asked)
  if (body.page !== undefined) {
    const view = await viewRevision(ctx, space.id, revision)
    const { content } = await withComputed(ctx, space.organization_id, view)
    // An entry may be commented, and so may the pages that it stands for.
    if (!content.pageById.has(body.page) && !view.content.pageById.has(body.page))
      throw invalid('"page" in the body: takes the id of a page that the content has now, or is left out.')
  }
  return atOnce(() => {
    const writer = writerNow(asked)
    const at = checkPace(asked)
    const { spaceId, changeRequestId } = scopeOf(asked)
    const row = insertComment(ctx.store, {
      id: randomId(),
      space_id: spaceId,
      change_request_id: changeRequestId,
      page_id: body.page ?? null,
      node_id: body.node ?? null,
      table_record: body.tableCell?.record ?? null,
      table_definition: body.tableCell?.definition ?? null,
      revision,
      body: keepBody(body.body),
      posted_by: user.id,
      posted_at: at,
    })
    noteHappening(asked, 'comment.created', writer, { comment: row, at })
    return loadComment(ctx, row, writer)
  })
}

async function headOf({ ctx, space, changeRequest }: Asked): Promise<Oid> {
  if (changeRequest) return (await currentChangeRequest(ctx, changeRequest)).revision as Oid
  return (await primaryHead(ctx, space)).head
}

/** Posts a reply to a comment. Throws 'too_many' when too much was posted lately. */
export const postReply = (
  asked: Asked & {
    params: { commentId: string }
    body: z.output<typeof NewReply>
    query?: { format: BodyFormat } | undefined
  },
) =>
  atOnce(() => {
    const { ctx, user, params, body, query } = asked
    const writer = writerNow(asked)
    const comment = commentOf(asked, params.commentId)
    const at = checkPace(asked)
    const row = insertReply(ctx.store, {
      id: randomId(),
      comment_id: comment.id,
      space_id: comment.space_id,
      change_request_id: comment.change_request_id,
      body: keepBody(body.body),
      posted_by: user.id,
      posted_at: at,
    })
    noteHappening(asked, 'reply.created', writer, { comment, reply: row, at })
    return loadReply(ctx, row, writer, query?.format)
  })

/** The time of what is posted now. Throws 'too_many' while there was too much of it in the last hour. */
export function checkPace({ ctx, space, user }: Pick<Asked, 'ctx' | 'space' | 'user'>): string {
  const now = ctx.now()
  const most = ctx.config.maxCommentsPerHour
  checkCount(ctx, now, { by: user.id }, most, `You have posted ${most} comments and replies`)
  const together = most * togetherMore
  checkCount(
    ctx,
    now,
    { in: space.id },
    together,
    `There were ${together} comments and replies in this space`,
  )
  return now.toISOString()
}

function checkCount(ctx: Context, now: Date, posts: Posts, most: number, said: string): void {
  const { count, first } = countPosted(ctx.store, posts, new Date(now.getTime() - hour).toISOString())
  if (count < most) return
  const minutes = first === null ? 1 : Math.ceil((Date.parse(first) + hour - now.getTime()) / 60_000)
  throw new Fault(
    'too_many',
    `${said} within an hour, which is the most: try again in ${minutes} ${minutes === 1 ? 'minute' : 'minutes'}.`,
  )
}
