import type { CommentsGrant } from '../../access/guards/comment.ts'
import { findOutdated } from '../../actions/comments/find-outdated.ts'
import { maySettle, rightsOn } from '../../actions/comments/writer.ts'
import type { Context } from '../../context.ts'
import type { Post, Thread } from '../../page-text/comment-threads.ts'
import { findUsers } from '../../store/people/users.ts'
import type { CommentReplyRow, CommentRow } from '../../store/tables/rows.ts'

/** A comment or a reply as it is shown. */
type ShownPost = {
  id: string
  author: string
  at: string
  isEdited: boolean
  html: string
  markdown: string
  mayEdit: boolean
  mayDelete: boolean
}

/** A comment with the replies to it. */
export type ShownThread = ShownPost & {
  replies: readonly ShownPost[]
  /** How many more replies there are. */
  more: number
  isResolved: boolean
  resolvedBy: string | undefined
  maySettle: boolean
  /** The block or line that it is on has changed since. */
  isOutdated: boolean
  row: Omit<CommentRow, 'body'>
}

/** Who reads comments, and how their Markdown is written as HTML. */
type Showing = {
  ctx: Context
  granted: CommentsGrant
  write: (markdown: string) => Promise<string>
}

/** Shows comments that were read. */
export async function showThreads(
  { ctx, granted, write }: Showing,
  threads: readonly Thread[],
): Promise<ShownThread[]> {
  const users = findUsers(ctx.store, threads.flatMap(writersOf))
  const outdated = await findOutdated(
    ctx,
    granted,
    threads.map(({ row }) => row),
  )
  const post = async ({ row, markdown }: Post<CommentRow | CommentReplyRow>) => {
    const rights = rightsOn(row, granted)
    return {
      id: row.id,
      author: users.get(row.posted_by)?.display_name ?? '',
      at: row.posted_at,
      isEdited: row.edited_at !== null,
      html: await write(markdown),
      markdown,
      mayEdit: rights.edit,
      mayDelete: rights.delete,
    }
  }
  const shown: ShownThread[] = []

  for (const thread of threads) {
    const { row } = thread
    const replies: ShownPost[] = []
    for (const reply of thread.replies) replies.push(await post(reply))
    shown.push({
      ...(await post(thread)),
      replies,
      more: Math.max(0, row.replies - replies.length),
      isResolved: row.status === 'resolved',
      resolvedBy: row.resolved_by === null ? undefined : users.get(row.resolved_by)?.display_name,
      maySettle: maySettle(row, granted),
      isOutdated: outdated.has(row.id),
      row,
    })
  }

  return shown
}

const writersOf = ({ row, replies }: Thread): string[] => [
  row.posted_by,
  ...(row.resolved_by === null ? [] : [row.resolved_by]),
  ...replies.map(reply => reply.row.posted_by),
]
