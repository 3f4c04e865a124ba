import type { z } from 'zod'
import { isWhole, keepAnswer } from '../../actions/revisions/view-revision.ts'
import type { Prepared, RevisionView } from '../../content/tree/view.ts'
import type { Bytes } from '../../http/endpoint.ts'
import { sha256 } from '../../lib/digest.ts'
import { SharedWork } from '../../lib/shared-work.ts'
import type { OpenContent } from './open-content.ts'

export type Asked = {
  /** What was asked, with everything of the query that makes a difference. */
  asked: string
  schema: z.ZodType
  /** What the answer is made from beside the revision, and may change with time; '' for nothing. */
  stamp?: string
  /** What it is made from that rows alone say, such as the versions of descriptions; '' for nothing. */
  rows?: string
  /** How many seconds it holds when it is of one revision: for good when not said, 0 when it may change at any time. */
  seconds?: number
  /** The ETag is of the answer itself, not of the revision: it stays while other pages change. */
  own?: boolean
  /** Not to be kept for the next who asks. */
  once?: boolean
}

const forGood = 31_536_000
const tag = (text: string) => sha256(text).slice(0, 16)

/** With computed pages it is another answer than without. */
const keyOf = ({ scope, shown }: OpenContent, asked: string): string =>
  shown.stamp === '' ? `${scope} ${asked}` : `${scope} computed ${asked}`

const rowsOf = ({ shown }: OpenContent, rows: string): string => [shown.stamp, rows].filter(Boolean).join(' ')
const stampOf = (stamp: string, rows: string): string => (rows === '' ? stamp : `${stamp} ${rows}`)

/** Whether an answer that depends on nothing but the revision, and on `rows`, is there already. */
export const isAnswered = (open: OpenContent, asked: string, rows = ''): boolean =>
  open.view.answers.get(keyOf(open, asked))?.stamp === stampOf('', rowsOf(open, rows))

/** The answers that are being made of each view. */
const making = new WeakMap<RevisionView, SharedWork<Prepared>>()

function workOn(view: RevisionView): SharedWork<Prepared> {
  const known = making.get(view)
  if (known) return known
  const work = new SharedWork<Prepared>()
  making.set(view, work)
  return work
}

/** The answer to a question about a revision, made by `make` (a value, or its JSON as bytes) or kept from the time before. The signal of `make` is aborted when all who wait for it hung up. */
export async function answer(
  open: OpenContent,
  { asked, schema, stamp: timed = '', rows: more = '', seconds = forGood, own = false, once = false }: Asked,
  make: (signal: AbortSignal) => unknown,
): Promise<Bytes> {
  const { ctx, space, view, gone } = open
  const key = keyOf(open, asked)
  const rows = rowsOf(open, more)
  // A description that cannot be read now may be later, and no row says when.
  const passing = once || rows.includes(' !')
  const stamp = stampOf(timed, rows)
  let prepared = view.answers.get(key)
  if (prepared?.stamp !== stamp)
    // What is kept for all who ask is also made once for all who ask at the same time.
    prepared = await workOn(view).join(`${key} ${stamp}`, gone, async signal => {
      const value = await make(signal)
      const bytes = Buffer.isBuffer(value) ? value : Buffer.from(JSON.stringify(value))
      if (ctx.config.checkReplies) schema.parse(Buffer.isBuffer(value) ? JSON.parse(value.toString()) : value)
      const etag = own ? sha256(bytes).slice(0, 40) : stamp === '' ? view.oid : `${view.oid}-${tag(stamp)}`
      const made = { stamp, etag, bytes }
      if (!passing) keepAnswer(ctx, space.id, view, key, made)
      return made
    })
  const { etag, bytes } = prepared
  // Once the repository is mended the same revision says more.
  if (!isWhole(view)) return { bytes }
  const { holds } = open
  // What changes with time is not to be taken for what is still so; what rows say holds until one changes.
  if (!open.pinned) return { bytes, etag, ...(holds && timed === '' && !passing && { holds }) }
  if (seconds === 0 || rows !== '') return { bytes, etag }
  const lasting = `private, max-age=${seconds}`
  return { bytes, etag, cacheControl: seconds === forGood ? `${lasting}, immutable` : lasting }
}
