import {
  type Around,
  conversationOf,
  type Happening,
} from '../../../actions/reviewing/conversation.ts'
import type { OpenRequest } from '../../../actions/reviewing/open-request.ts'
import type { Hold } from '../../../http/limits/admission.ts'
import { readThreads } from '../../../page-text/comment-threads.ts'
import { findUsers } from '../../../store/people/users.ts'
import type { CommentRow, ReviewRow } from '../../../store/tables/rows.ts'
import { type ShownThread, showThreads } from '../../comments/show-threads.ts'
import { commentWriter } from '../request-text.ts'

/** A comment with the page that it is on, and the title of that now; undefined for one on the whole. */
export type SaidThread = ShownThread & {
  page: { id: string; title: string | undefined } | undefined
}

/** One line of the conversation: people by their names. */
export type ShownHappening = { at: string; who: string } & (
  | { kind: 'opened' | 'archived' | 'reopened' | 'merged' }
  | { kind: 'asked'; reviewers: readonly string[] }
  | { kind: 'comment'; thread: SaidThread }
  | { kind: 'review'; status: ReviewRow['status']; isEarlier: boolean; thread?: SaidThread }
  | { kind: 'commits'; commits: readonly { oid: string; subject: string; author: string }[] }
)

export type ShownConversation = {
  happenings: readonly ShownHappening[]
  earlier: number | undefined
  later: boolean
}

/** Where threads are shown: `hold` is called with the size of each text. */
export type Showing = { place: OpenRequest; hold: Hold; hrefOf: (pageId: string) => string }

/** Loads the conversation of a change request: what happened to it, and what people said. */
export async function loadConversation(
  showing: Showing,
  around: Around,
): Promise<ShownConversation> {
  const { place } = showing
  const { open, request } = place
  const { ctx, space } = open
  const { happenings, earlier, later } = await conversationOf(ctx, { space, request, ...around })
  const rows = happenings.flatMap(each => ('comment' in each && each.comment) || [])
  const threads = new Map(
    (await showRequestThreads(showing, rows)).map(thread => [
      thread.id,
      { ...thread, page: pageOf(place, thread.row.page_id) },
    ]),
  )
  const users = findUsers(ctx.store, happenings.flatMap(peopleIn))
  const named = (id: string | null): string =>
    (id !== null && users.get(id)?.display_name) || 'A former user'
  const shown: ShownHappening[] = []

  for (const each of happenings) joinTo(shown, shownOf(each, { threads, named, place }))

  return { happenings: shown, earlier, later }
}

const peopleIn = (happening: Happening): string[] => [
  ...(happening.userId === null ? [] : [happening.userId]),
  ...(happening.kind === 'asked' ? [happening.reviewer] : []),
]

type Known = {
  threads: ReadonlyMap<string, SaidThread>
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
export async function showRequestThreads(
  { place, hold, hrefOf }: Showing,
  rows: Iterable<CommentRow>,
): Promise<ShownThread[]> {
  const { open, user, role, request } = place
  const { ctx, signal = new AbortController().signal, space } = open
  const threads = await readThreads({ ctx, hold, signal }, rows)
  const granted = { space, user, role, changeRequest: request }
  return showThreads({ ctx, granted, write: commentWriter(open, hrefOf) }, threads)
}

const pageOf = ({ open, compared }: OpenRequest, id: string | null): SaidThread['page'] =>
  id === null
    ? undefined
    : {
        id,
        title: (
          open.shown.content.pageById.get(id) ?? compared?.before.shown.content.pageById.get(id)
        )?.title,
      }
