import type { z } from 'zod'
import type { CommentsGrant } from '../../../access/guards/comment.ts'
import { rightsOn } from '../../../actions/comments/writer.ts'
import { mustGet } from '../../../lib/must-get.ts'
import type { ReplierRow } from '../../../store/discussions/comment-replies.ts'
import type { CountedReaction } from '../../../store/discussions/reactions.ts'
import type { Role } from '../../../store/tables/roles.ts'
import type { CommentReplyRow, CommentRow, UserRow } from '../../../store/tables/rows.ts'
import { presentUser } from '../../base/users/present.ts'
import { type BodyFormat, showBody } from './body-schema.ts'
import type { Comment, CommentReply } from './schema.ts'

/** The user who reads comments, with their role. */
export type Viewer = { userId: string; role: Role }

/** Returns the user of a grant as a viewer. */
export const viewerOf = ({ user, role }: CommentsGrant): Viewer => ({ userId: user.id, role })

/** The related facts of comments and replies; `users` has everyone they name. */
type CommentFacts = {
  viewer: Viewer
  format: BodyFormat
  users: ReadonlyMap<string, UserRow>
  /** Returns where a browser opens a comment, by its row. */
  addressOf: (row: Pick<CommentRow, 'id' | 'space_id' | 'page_id' | 'change_request_id'>) => string
  /** In chronological order. */
  reactions: readonly CountedReaction[]
  /** The prefix of `urls.*`. */
  base: string
  /** The ids of comments whose block or line has changed since. */
  outdated?: ReadonlySet<string> | undefined
}

/** Returns a comment as the viewer sees it. */
export function presentComment(
  row: CommentRow,
  repliers: readonly ReplierRow[],
  facts: CommentFacts,
): z.input<typeof Comment> {
  const { users, base, format } = facts
  const user = (id: string) => presentUser(mustGet(users, id), base)
  return {
    object: 'comment',
    id: row.id,
    postedBy: user(row.posted_by),
    postedAt: row.posted_at,
    ...(row.edited_at !== null && { editedAt: row.edited_at }),
    reactions: presentReactions(facts),
    replies: row.replies,
    repliers: repliers.map(replier => ({
      updatedAt: replier.updated_at,
      count: replier.count,
      user: user(replier.user_id),
    })),
    body: showBody(row.body, format),
    target: { ...targetOf(row), ...(facts.outdated?.has(row.id) && { outdated: true }) },
    urls: { app: facts.addressOf(row), location: `${locationOf(row, base)}/comments/${row.id}` },
    permissions: permissionsOf(row, facts.viewer),
    status: row.status,
    ...(row.resolved_at !== null && { resolvedAt: row.resolved_at }),
    ...(row.resolved_by !== null && { resolvedBy: user(row.resolved_by) }),
  }
}

const targetOf = (row: CommentRow): z.input<typeof Comment>['target'] => ({
  ...(row.node_id !== null && { node: { id: row.node_id } }),
  ...(row.table_record !== null &&
    row.table_definition !== null && {
      tableCell: { record: row.table_record, definition: row.table_definition },
    }),
  ...(row.change_request_id !== null && { changeRequest: row.change_request_id }),
  ...(row.review_id !== null && { review: row.review_id }),
  ...(row.page_id !== null && { page: { id: row.page_id } }),
  space: row.space_id,
  revision: row.revision,
})

/** Returns a reply as the viewer sees it. */
export const presentReply = (
  row: CommentReplyRow,
  facts: CommentFacts & { comment: CommentRow },
): z.input<typeof CommentReply> => ({
  object: 'comment-reply',
  id: row.id,
  postedBy: presentUser(mustGet(facts.users, row.posted_by), facts.base),
  postedAt: row.posted_at,
  ...(row.edited_at !== null && { editedAt: row.edited_at }),
  reactions: presentReactions(facts),
  body: showBody(row.body, facts.format),
  urls: {
    app: facts.addressOf(facts.comment).replace(/#.*/, `#reply-${row.id}`),
    location: `${locationOf(row, facts.base)}/comments/${row.comment_id}/replies/${row.id}`,
  },
  permissions: permissionsOf(row, facts.viewer),
})

function locationOf(
  row: { space_id: string; change_request_id: string | null },
  base: string,
): string {
  const space = `${base}/v1/spaces/${row.space_id}`
  return row.change_request_id === null
    ? space
    : `${space}/change-requests/${row.change_request_id}`
}

/** Returns the reactions by emoji, in the order of each emoji's first use. */
function presentReactions({
  reactions,
  users,
  base,
}: CommentFacts): z.input<typeof Comment>['reactions'] {
  const groups = new Map<string, z.input<typeof Comment>['reactions'][number]>()
  for (const { emoji, count, user_id, reacted_at } of reactions) {
    const group = groups.get(emoji) ?? { emoji, count, users: [] }
    group.users.push({ user: presentUser(mustGet(users, user_id), base), reactedAt: reacted_at })
    groups.set(emoji, group)
  }
  return [...groups.values()]
}

const permissionsOf = (row: { posted_by: string }, { userId, role }: Viewer) =>
  rightsOn(row, { user: { id: userId }, role })
