import type { SpaceGrant } from '../../access/guards/space.ts'
import { maySettle } from '../../actions/comments/writer.ts'
import type { BlockEnd, HtmlOptions } from '../../content/html/page-html.ts'
import type { Context } from '../../context.ts'
import type { Hold } from '../../http/limits/admission.ts'
import { inSlices } from '../../lib/slices.ts'
import { commentHtml } from '../../page-text/comment-html.ts'
import { newestOn, type Post, readThreads, type Thread } from '../../page-text/comment-threads.ts'
import { findUsers } from '../../store/people/users.ts'
import type { CommentReplyRow, CommentRow } from '../../store/tables/rows.ts'

/** A comment or reply as a page shows it. */
export type ShownPost = {
  id: string
  author: string
  at: string
  isEdited: boolean
  html: string
}

/** A comment with its replies, and how many more there are. */
export type ShownThread = ShownPost & {
  isResolved: boolean
  mayResolve: boolean
  replies: ShownPost[]
  more: number
}

/** The comments of a page: at the places in its HTML where their blocks end, and others. */
export type PageThreads = {
  placed: { at: number; threads: ShownThread[] }[]
  whole: ShownThread[]
  /** Those on blocks that the page does not have any more. */
  lost: ShownThread[]
}

type Reading = { ctx: Context; hold: Hold; signal: AbortSignal }

/**
 * Reads the comments on a page of a space, open ones first. `nodes` are the blocks that they name; `show` returns
 * them at the ends of these blocks.
 */
export async function readPageThreads(
  reading: Reading,
  granted: Pick<SpaceGrant, 'space' | 'user' | 'role'> & { pageId: string },
): Promise<{
  nodes: ReadonlySet<string>
  show: (ends: readonly BlockEnd[], options: HtmlOptions) => Promise<PageThreads>
}> {
  const within = { spaceId: granted.space.id, changeRequestId: null }
  const rows = newestOn(reading.ctx.store, within, [granted.pageId])
  const found = await readThreads(reading, rows)
  const threads = found.sort((one, other) => one.row.seq - other.row.seq)

  return {
    nodes: new Set(threads.flatMap(({ row }) => row.node_id ?? [])),
    show: (ends, options) => place(reading, granted, { threads, ends, options }),
  }
}

type Placing = { threads: readonly Thread[]; ends: readonly BlockEnd[]; options: HtmlOptions }

async function place(
  { ctx, signal }: Reading,
  granted: Pick<SpaceGrant, 'user' | 'role'>,
  { threads, ends, options }: Placing,
): Promise<PageThreads> {
  const users = findUsers(ctx.store, threads.flatMap(peopleIn))
  const plain = { ...options, targets: linksOnly(options), marksBroken: false }
  const post = async ({ row, markdown }: Post<CommentRow | CommentReplyRow>) => ({
    id: row.id,
    author: users.get(row.posted_by)?.display_name ?? '',
    at: row.posted_at,
    isEdited: row.edited_at !== null,
    html: await inSlices(commentHtml(markdown, plain), signal),
  })

  const placed = new Map<number, PageThreads['placed'][number]>()
  const atOf = new Map(ends.map(({ id, at }) => [id, at]))
  const shown: PageThreads = { placed: [], whole: [], lost: [] }

  for (const thread of threads) {
    const { row } = thread
    const replies: ShownPost[] = []
    for (const reply of thread.replies) replies.push(await post(reply))
    const made = {
      ...(await post(thread)),
      isResolved: row.status === 'resolved',
      mayResolve: maySettle(row, granted),
      replies,
      more: Math.max(0, row.replies - replies.length),
    }
    const at = row.node_id === null ? undefined : atOf.get(row.node_id)
    if (at === undefined) shown[row.node_id === null ? 'whole' : 'lost'].push(made)
    else placed.set(at, { at, threads: [...(placed.get(at)?.threads ?? []), made] })
  }

  return { ...shown, placed: [...placed.values()].sort((one, other) => one.at - other.at) }
}

const peopleIn = ({ row, replies }: Thread): string[] => [
  row.posted_by,
  ...replies.map(reply => reply.row.posted_by),
]

/** Links of comments lead where those of the page lead; images would call other servers. */
const linksOnly = ({ targets }: HtmlOptions): HtmlOptions['targets'] => ({
  link: targets.link,
  image: () => undefined,
  include: () => undefined,
})
