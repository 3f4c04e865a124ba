import { findPage } from '../../actions/audience/find-page.ts'
import type { BlockEnd, HtmlOptions } from '../../content/html/page-html.ts'
import type { PageNode } from '../../content/tree/build.ts'
import { inSlices } from '../../lib/slices.ts'
import { commentHtml } from '../../page-text/comment-html.ts'
import { newestOn, type Post, readThreads, type Thread } from '../../page-text/comment-threads.ts'
import { countOnPage } from '../../store/discussions/comments.ts'
import { findUsers } from '../../store/people/users.ts'
import type { CommentReplyRow, CommentRow, UserRow } from '../../store/tables/rows.ts'
import { fill, type SurfaceWords } from '../../ui/words/all.ts'
import { dayIn, timeInWords } from '../../ui/words/dates.ts'
import { documentOf } from '../place/order.ts'
import type { SitePlace } from '../place/place.ts'
import { readsComments } from '../place/rights.ts'
import type { CommentPost, CommentThread, PageComments } from '../views/model.ts'

/** The most comments of each status that are counted. */
const mostCounted = 1_000

/**
 * The comments that a page shows, oldest first, how many more there are ('': none), and the ids of
 * the blocks that they name.
 */
type ReadComments = {
  threads: readonly Thread[]
  more: string
  nodes: ReadonlySet<string>
}

/**
 * Reads the comments that a page of a change request shows: those on the page and, where the change
 * request begins, those on it as a whole; the newest ones, open ones first. Undefined for other
 * content, for readers who may not read comments, and without comments.
 */
export async function readComments(
  place: SitePlace,
  node: PageNode,
): Promise<ReadComments | undefined> {
  const { ctx, scope, open, isCopy } = place
  if (scope?.kind !== 'change-request' || isCopy || !readsComments(place)) return undefined
  const within = { spaceId: open.space.id, changeRequestId: scope.request.id }
  const pages = isFirst(place, node) ? [node.id, null] : [node.id]
  const threads = await readThreads(place, newestOn(ctx.store, within, pages))
  if (threads.length === 0) return undefined

  const counts = pages.map(page => countOnPage(ctx.store, within, page, mostCounted))
  const more = counts.reduce((sum, count) => sum + count, 0) - threads.length
  const isLeast = counts.some(count => count >= mostCounted)

  return {
    threads: threads.sort((one, other) => one.row.seq - other.row.seq),
    more: more <= 0 ? '' : `${more}${isLeast ? '+' : ''}`,
    nodes: new Set(threads.flatMap(({ row }) => nodeOf(row) ?? [])),
  }
}

/** Returns whether the address of the change request leads to a page. */
function isFirst({ open }: SitePlace, node: PageNode): boolean {
  const first = findPage(open.shown.content, open.space.id, '')
  return first !== undefined && documentOf(first) === node
}

type Written = {
  /** The ends of the blocks that comments name, in the HTML of the page. */
  ends: readonly BlockEnd[]
  /** How the text of the page was written: its links, words and file. */
  options: Pick<HtmlOptions, 'targets' | 'externalBlank' | 'file'>
  words: SurfaceWords
  lang: string
}

type Showing = Omit<Written, 'ends' | 'options'> & {
  options: HtmlOptions
  users: ReadonlyMap<string, UserRow>
  signal: AbortSignal
}

/** Returns the comments on a page, each at the block that it names. */
export async function placeComments(
  { ctx, signal }: SitePlace,
  { threads, more }: ReadComments,
  { ends, options, words, lang }: Written,
): Promise<PageComments> {
  const places = new Map<number, PageComments['placed'][number]>()
  const byNode = new Map<string, CommentThread[]>()
  for (const { id, at, level } of ends) {
    const place = places.get(at) ?? { at, level, threads: [] }
    places.set(at, place)
    byNode.set(id, place.threads)
  }

  const showing = {
    words,
    lang,
    options: optionsOf(options, words),
    users: findUsers(ctx.store, threads.flatMap(peopleIn)),
    signal,
  }
  const below = { whole: [], lost: [], request: [] } satisfies Partial<PageComments>

  for (const thread of threads) {
    const list = byNode.get(nodeOf(thread.row) ?? '') ?? below[partOf(thread.row)]
    list.push(await showThread(thread, showing))
  }

  return { placed: [...places.values()], ...below, more }
}

/** Returns the block that a comment on a page names. */
const nodeOf = ({ page_id, node_id }: Thread['row']): string | null =>
  page_id === null ? null : node_id

function partOf({ page_id, node_id, table_record }: Thread['row']): 'whole' | 'lost' | 'request' {
  if (page_id === null) return 'request'
  return node_id === null && table_record === null ? 'whole' : 'lost'
}

const peopleIn = ({ row, replies }: Thread): string[] => [
  row.posted_by,
  ...(row.resolved_by === null ? [] : [row.resolved_by]),
  ...replies.map(reply => reply.row.posted_by),
]

/** Links of comments lead where those of the page lead. */
const optionsOf = (
  { targets, ...options }: Written['options'],
  words: SurfaceWords,
): HtmlOptions => ({
  ...options,
  words,
  targets: { link: targets.link, image: () => undefined, include: () => undefined },
  marksBroken: false,
})

async function showThread(thread: Thread, showing: Showing): Promise<CommentThread> {
  const replies: CommentPost[] = []
  for (const reply of thread.replies) replies.push(await showPost(reply, showing))
  return {
    ...(await showPost(thread, showing)),
    resolved: resolvedIn(thread.row, showing),
    replies,
    more: Math.max(0, thread.row.replies - replies.length),
  }
}

const showPost = async (
  { row, markdown }: Post<CommentRow | CommentReplyRow>,
  { options, users, lang, signal }: Showing,
): Promise<CommentPost> => ({
  id: row.id,
  author: nameIn(users, row.posted_by),
  at: { iso: row.posted_at, text: timeInWords(lang, Date.parse(row.posted_at) / 1000) },
  isEdited: row.edited_at !== null,
  html: await inSlices(commentHtml(markdown, options), signal),
})

function resolvedIn(
  { resolved_at: at, resolved_by: by }: Thread['row'],
  { users, words, lang }: Showing,
): string | undefined {
  if (at === null || by === null) return undefined
  const date = dayIn(lang, new Date(at))
  return fill(words.commentResolved, { name: nameIn(users, by), date })
}

const nameIn = (users: Showing['users'], id: string): string => users.get(id)?.display_name ?? ''
