import type { CommentsGrant } from '../../access/guards/comment.ts'
import type { BlockEnd, HtmlOptions } from '../../content/html/page-html.ts'
import type { Context } from '../../context.ts'
import type { Hold } from '../../http/limits/admission.ts'
import { inSlices } from '../../lib/slices.ts'
import { commentHtml } from '../../page-text/comment-html.ts'
import { newestOn, readThreads, type Thread } from '../../page-text/comment-threads.ts'
import { type ShownThread, showThreads } from './show-threads.ts'

/** The comments of a page: at the places in its HTML where their blocks end, and others. */
export type PageThreads = {
  placed: { at: number; threads: ShownThread[] }[]
  whole: ShownThread[]
  /** Those on lines of the source, and on blocks that the page does not have any more. */
  lost: ShownThread[]
}

type Reading = { ctx: Context; hold: Hold; signal: AbortSignal }
type OfSpace = Omit<CommentsGrant, 'changeRequest'>

/** The pages whose comments are read, null for comments on no page, and one that must be among them. */
type Wanted = { pages: readonly (string | null)[]; comment: string | undefined }

/**
 * Reads the comments on a page of a space, open ones first. `nodes` are the blocks that they name; `show` returns
 * them at the ends of these blocks.
 */
export async function readPageThreads(
  reading: Reading,
  { pages, comment, ...granted }: OfSpace & Wanted,
): Promise<{
  nodes: ReadonlySet<string>
  show: (ends: readonly BlockEnd[], options: HtmlOptions) => Promise<PageThreads>
}> {
  const within = { spaceId: granted.space.id, changeRequestId: null }
  const rows = newestOn(reading.ctx.store, within, pages, comment)
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
  granted: OfSpace,
  { threads, ends, options }: Placing,
): Promise<PageThreads> {
  const plain = { ...options, targets: linksOnly(options), marksBroken: false }
  const write = (markdown: string) => inSlices(commentHtml(markdown, plain), signal)
  const shown = await showThreads(
    { ctx, granted: { ...granted, changeRequest: null }, write },
    threads,
  )
  const placed = new Map<number, PageThreads['placed'][number]>()
  const atOf = new Map(ends.map(({ id, at }) => [id, at]))
  const whole: ShownThread[] = []
  const lost: ShownThread[] = []

  for (const thread of shown) {
    const name = thread.row.node_id
    const at = name === null ? undefined : atOf.get(name)
    const known = at === undefined ? undefined : placed.get(at)
    if (known) known.threads.push(thread)
    else if (at !== undefined) placed.set(at, { at, threads: [thread] })
    else (name === null ? whole : lost).push(thread)
  }

  return { placed: [...placed.values()].sort((one, other) => one.at - other.at), whole, lost }
}

/** Links of comments lead where those of the page lead; images would call other servers. */
const linksOnly = ({ targets }: HtmlOptions): HtmlOptions['targets'] => ({
  link: targets.link,
  image: () => undefined,
  include: () => undefined,
})
