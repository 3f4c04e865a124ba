import type { z } from 'zod'
import { addressOfComment } from '../../../actions/app-addresses.ts'
import type { Context } from '../../../context.ts'
import { mustGet } from '../../../lib/must-get.ts'
import { pauses } from '../../../lib/slices.ts'
import { findChangeRequest } from '../../../store/discussions/change-requests.ts'
import { listRepliers } from '../../../store/discussions/comment-replies.ts'
import { findComments } from '../../../store/discussions/comments.ts'
import { listCommentReactions, listReplyReactions } from '../../../store/discussions/reactions.ts'
import { findShownUsers } from '../../../store/people/users.ts'
import type { ChangeRequestRow, CommentReplyRow, CommentRow } from '../../../store/tables/rows.ts'
import type { BodyFormat } from './body-schema.ts'
import { presentComment, presentReply, type Viewer } from './present.ts'
import type { Comment, CommentReply } from './schema.ts'

type CommentResource = z.input<typeof Comment>
type ReplyResource = z.input<typeof CommentReply>

/** Returns a function that presents these rows: one query for each kind of related row. */
type Presenter<Row, Resource> = (
  ctx: Context,
  rows: readonly Row[],
  viewer: Viewer,
  format: BodyFormat,
  outdated?: ReadonlySet<string>,
) => (row: Row) => Resource

const loaderOf = <Row, Resource>(presenterOf: Presenter<Row, Resource>) => ({
  /** Returns one resource as the viewer sees it, synchronously. */
  one: (
    ctx: Context,
    row: Row,
    viewer: Viewer,
    format: BodyFormat = 'markdown',
    outdated?: ReadonlySet<string>,
  ): Resource => presenterOf(ctx, [row], viewer, format, outdated)(row),

  /**
   * Returns resources in the given order. Yields to the event loop while it converts texts to
   * another format; inside a transaction use `one`.
   */
  many: async (
    ctx: Context,
    rows: readonly Row[],
    viewer: Viewer,
    format: BodyFormat,
    outdated?: ReadonlySet<string>,
  ): Promise<Resource[]> => {
    const present = presenterOf(ctx, rows, viewer, format, outdated)
    const pause = pauses()
    const resources: Resource[] = []

    for (const row of rows) {
      resources.push(present(row))
      await pause()
    }

    return resources
  },
})

export const commentLoader = loaderOf(presenterOfComments)

/** Replies that are loaded together are replies to one comment. */
export const replyLoader = loaderOf(presenterOfReplies)

function presenterOfComments(
  ctx: Context,
  rows: readonly CommentRow[],
  viewer: Viewer,
  format: BodyFormat,
  outdated?: ReadonlySet<string>,
): (row: CommentRow) => CommentResource {
  const ids = rows.map(row => row.id)
  const reactions = listCommentReactions(ctx.store, ids)
  const repliers = listRepliers(
    ctx.store,
    rows.filter(row => row.replies > 0).map(row => row.id),
  )

  const users = findShownUsers(ctx.store, viewer.userId, [
    ...rows.flatMap(row => (row.resolved_by ? [row.posted_by, row.resolved_by] : [row.posted_by])),
    ...reactions.map(row => row.user_id),
    ...repliers.map(row => row.user_id),
  ])
  const reactionsOf = groupBy(reactions, row => row.comment_id)
  const repliersOf = groupBy(repliers, row => row.comment_id)
  const facts = { viewer, format, users, outdated, ...addressesFor(ctx) }

  return row =>
    presentComment(row, repliersOf.get(row.id) ?? [], {
      ...facts,
      reactions: reactionsOf.get(row.id) ?? [],
    })
}

function presenterOfReplies(
  ctx: Context,
  rows: readonly CommentReplyRow[],
  viewer: Viewer,
  format: BodyFormat,
): (row: CommentReplyRow) => ReplyResource {
  const reactions = listReplyReactions(
    ctx.store,
    rows[0]?.comment_id ?? '',
    rows.map(row => row.id),
  )

  const users = findShownUsers(ctx.store, viewer.userId, [
    ...rows.map(row => row.posted_by),
    ...reactions.map(row => row.user_id),
  ])
  const reactionsOf = groupBy(reactions, row => row.reply_id)
  const facts = { viewer, format, users, ...addressesFor(ctx) }
  const comments = findComments(
    ctx.store,
    rows.map(row => row.comment_id),
  )

  return row =>
    presentReply(row, {
      ...facts,
      comment: mustGet(comments, row.comment_id),
      reactions: reactionsOf.get(row.id) ?? [],
    })
}

/** Returns the prefix of addresses, and a function that returns where a browser opens a comment. */
function addressesFor(ctx: Context) {
  const base = ctx.publicUrl()
  const requests = new Map<string, ChangeRequestRow | undefined>()
  const addressOf = (
    row: Pick<CommentRow, 'id' | 'space_id' | 'page_id' | 'change_request_id'>,
  ): string => {
    const { space_id: spaceId, change_request_id: id } = row
    if (id !== null && !requests.has(id))
      requests.set(id, findChangeRequest(ctx.store, spaceId, id))
    return addressOfComment(base, row, id === null ? undefined : requests.get(id))
  }

  return { base, addressOf }
}

function groupBy<Row>(rows: readonly Row[], key: (row: Row) => string): Map<string, Row[]> {
  const groups = new Map<string, Row[]>()
  for (const row of rows) {
    const group = groups.get(key(row))
    if (group) group.push(row)
    else groups.set(key(row), [row])
  }
  return groups
}
