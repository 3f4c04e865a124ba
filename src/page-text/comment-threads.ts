import { documentToMarkdown } from '../content/document/to-markdown.ts'
import type { Context } from '../context.ts'
import type { Hold } from '../http/limits/admission.ts'
import { pauses } from '../lib/slices.ts'
import { listReplies } from '../store/discussions/comment-replies.ts'
import { type CommentScope, findComment, listComments } from '../store/discussions/comments.ts'
import type { Store } from '../store/store.ts'
import type { CommentReplyRow, CommentRow } from '../store/tables/rows.ts'

/** The most comments on a page, and the most replies to one, that are shown. */
const mostThreads = 100
const mostReplies = 20

/** No further post is kept after this many characters of bodies. */
const mostCharacters = 400_000

/** How many posts are read at once: a body has up to 100,000 characters. */
const mostAtOnce = 10

/** A post as it is kept: a body may be much longer than its text. */
export type Post<Row extends CommentRow | CommentReplyRow> = {
  row: Omit<Row, 'body'>
  markdown: string
}

/** A comment with the first replies to it. */
export type Thread = Post<CommentRow> & { replies: Post<CommentReplyRow>[] }

/** Where posts are read: `hold` is called with the size of each. */
type Reading = { ctx: Context; hold: Hold; signal: AbortSignal }

/**
 * Reads the texts of comments and of the replies to them, in the given order, until they are too
 * long together.
 */
export async function readThreads(reading: Reading, rows: Iterable<CommentRow>): Promise<Thread[]> {
  const { store } = reading.ctx
  const read = postReader(reading)
  // A comment that is wanted, or whose status changes in the meantime, may come twice.
  const byId = new Map<string, Thread>()

  for (const row of rows) {
    const post = await read(row)
    if (!post) break
    const replies = row.replies > 0 ? await readAll(repliesTo(store, row.id), read) : []
    byId.set(row.id, { ...post, replies })
  }

  return [...byId.values()]
}

/**
 * Yields the comments on some pages that are shown: of each, open ones first, newest first. The one
 * with the id `wanted` comes before them, and may come again.
 */
export function* newestOn(
  store: Store,
  within: CommentScope,
  pages: readonly (string | null)[],
  wanted?: string,
): Generator<CommentRow> {
  const row = wanted === undefined ? undefined : findComment(store, within, wanted)
  if (row && pages.includes(row.page_id)) yield row

  for (const page of pages) {
    let left = mostThreads
    for (const status of ['open', 'resolved'] as const)
      left -= yield* fewAtOnce(left, (limit, after) =>
        listComments(store, within, { status, page }, { order: 'desc', limit, after }),
      )
  }
}

const repliesTo = (store: Store, id: string): Generator<CommentReplyRow> =>
  fewAtOnce(mostReplies, (limit, after) => listReplies(store, id, limit, after))

/** Yields up to `most` rows, a few of which are read at once. Returns their number. */
function* fewAtOnce<Row extends { seq: number }>(
  most: number,
  read: (limit: number, after: number | undefined) => Row[],
): Generator<Row, number> {
  let count = 0
  for (let after: number | undefined; count < most; ) {
    const rows: Row[] = read(Math.min(mostAtOnce, most - count), after)
    yield* rows
    count += rows.length
    if (rows.length < mostAtOnce) break
    after = rows.at(-1)?.seq
  }

  return count
}

type ReadPost = <Row extends CommentRow | CommentReplyRow>(
  row: Row,
) => Promise<Post<Row> | undefined>

/** Returns a function that returns rows as posts until their bodies are too long together. */
function postReader({ hold, signal }: Reading): ReadPost {
  const pause = pauses(signal)
  let size = 0

  return async ({ body, ...row }) => {
    if (size > mostCharacters) return undefined
    const length = JSON.stringify(body).length
    await hold(length)
    const markdown = body.markdown ?? documentToMarkdown(body.document)
    // Markers and spaces of deep lists may make a text longer than its document.
    await hold(Math.max(0, markdown.length - length))
    size += Math.max(length, markdown.length)
    await pause()

    return { row, markdown }
  }
}

async function readAll<Row extends CommentRow | CommentReplyRow>(
  rows: Iterable<Row>,
  read: ReadPost,
): Promise<Post<Row>[]> {
  const posts: Post<Row>[] = []
  for (const row of rows) {
    const post = await read(row)
    if (!post) break
    posts.push(post)
  }

  return posts
}
