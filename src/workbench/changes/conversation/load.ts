import { maySettle, rightsOn } from '../../../actions/comments/writer.ts'
import { conversationOf, type Happening } from '../../../actions/reviewing/conversation.ts'
import type { OpenRequest } from '../../../actions/reviewing/open-request.ts'
import type { Hold } from '../../../http/limits/admission.ts'
import { type Post, readThreads, type Thread } from '../../../page-text/comment-threads.ts'
import { findUsers } from '../../../store/people/users.ts'
import type { CommentReplyRow, CommentRow, ReviewRow } from '../../../store/tables/rows.ts'
import { commentWriter } from '../request-text.ts'

/** A comment or a reply as it is shown. */
export type ShownPost = {
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
  /** The page that it is on, and its title now; undefined for one on the whole. */
  page: { id: string; title: string | undefined } | undefined
  /** It was made on another revision than the current one. */
  isEarlier: boolean
  row: Omit<CommentRow, 'body'>
}

/** One line of the conversation: people by their names. */
export type ShownHappening = { at: string; who: string } & (
  | { kind: 'opened' | 'archived' | 'reopened' | 'merged' }
  | { kind: 'asked'; reviewers: readonly string[] }
  | { kind: 'comment'; thread: ShownThread }
  | { kind: 'review'; status: ReviewRow['status']; isEarlier: boolean; thread?: ShownThread }
  | { kind: 'commits'; commits: readonly { oid: string; subject: string; author: string }[] }
)

export type ShownConversation = {
  happenings: readonly ShownHappening[]
  earlier: number | undefined
}

/** Where threads are shown: `hold` is called with the size of each text. */
export type Showing = { place: OpenRequest; hold: Hold; hrefOf: (pageId: string) => string }

/** Loads the conversation of a change request: what happened to it, and what people said. */
export async function loadConversation(
  showing: Showing,
  before: number | undefined,
): Promise<ShownConversation> {
  const { place } = showing
  const { open, request } = place
  const { ctx, space } = open
  const { happenings, earlier } = await conversationOf(ctx, { space, request, before })
  const rows = happenings.flatMap(each => ('comment' in each && each.comment) || [])
  const threads = new Map((await showThreads(showing, rows)).map(each => [each.id, each]))
  const users = findUsers(ctx.store, happenings.flatMap(peopleIn))
  const named = (id: string | null): string =>
    (id !== null && users.get(id)?.display_name) || 'A former user'
  const shown: ShownHappening[] = []

  for (const each of happenings) joinTo(shown, shownOf(each, { threads, named, place }))

  return { happenings: shown, earlier }
}

const peopleIn = (happening: Happening): string[] => [
  ...(happening.userId === null ? [] : [happening.userId]),
  ...(happening.kind === 'asked' ? [happening.reviewer] : []),
]

type Known = {
  threads: ReadonlyMap<string, ShownThread>
  named: (id: string | null) => string
  place: OpenRequest
}

function shownOf(
  happening: Happening,
  { threads, named, place }: Known,
): ShownHappening | undefined {
  const { at, userId } = happening
  const who = named(userId)

  switch (happening.kind) {
    case 'comment': {
      const thread = threads.get(happening.comment.id)
      return thread && { kind: 'comment', at, who, thread }
    }
    case 'review': {
      const thread = happening.comment && threads.get(happening.comment.id)
      const { status, revision } = happening.review
      const isEarlier = revision !== place.request.revision
      return { kind: 'review', at, who, status, isEarlier, ...(thread && { thread }) }
    }
    case 'commit': {
      const { oid, message, author } = happening.commit
      const subject = message.split('\n', 1)[0] ?? ''
      const commits = [{ oid, subject, author: author.name }]
      return { kind: 'commits', at, who: author.name, commits }
    }
    case 'asked':
      return { kind: 'asked', at, who, reviewers: [named(happening.reviewer)] }
    default:
      return { kind: happening.kind, at, who }
  }
}

/** Adds a line; commits after commits, and requests of one person, become one line. */
function joinTo(shown: ShownHappening[], next: ShownHappening | undefined): void {
  const last = shown.at(-1)
  if (!next) return
  if (last?.kind === 'commits' && next.kind === 'commits')
    shown[shown.length - 1] = { ...last, commits: [...last.commits, ...next.commits] }
  else if (last?.kind === 'asked' && next.kind === 'asked' && last.who === next.who)
    shown[shown.length - 1] = { ...last, reviewers: [...last.reviewers, ...next.reviewers] }
  else shown.push(next)
}

/** Shows comments with the replies to them, until they are too long together. */
export async function showThreads(
  { place, hold, hrefOf }: Showing,
  rows: Iterable<CommentRow>,
): Promise<ShownThread[]> {
  const { open, user, role, request } = place
  const { ctx, signal } = open
  const threads = await readThreads(
    { ctx, hold, signal: signal ?? new AbortController().signal },
    rows,
  )
  const users = findUsers(ctx.store, threads.flatMap(writersOf))
  const write = commentWriter(open, hrefOf)
  const viewer = { user, role }
  const post = async ({ row, markdown }: Post<CommentRow | CommentReplyRow>) => {
    const rights = rightsOn(row, viewer)
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
      maySettle: maySettle(row, viewer),
      page: row.page_id === null ? undefined : pageOf(place, row.page_id),
      isEarlier: row.revision !== request.revision,
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

const pageOf = ({ open, compared }: OpenRequest, id: string) => ({
  id,
  title: (open.shown.content.pageById.get(id) ?? compared?.before.shown.content.pageById.get(id))
    ?.title,
})
