import type { z } from 'zod'
import { isWhole, keepAnswer } from '../../actions/view-revision.ts'
import type { Prepared } from '../../content/view.ts'
import type { Bytes } from '../../http/endpoint.ts'
import { sha256 } from '../../lib/digest.ts'
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

/** The answer to a question about a revision, made by `make` (a value, or its JSON as bytes) or kept from the time before. */
export async function answer(
  open: OpenContent,
  { asked, schema, stamp: timed = '', rows: more = '', seconds = forGood, own = false, once = false }: Asked,
  make: () => unknown,
): Promise<Bytes> {
  const { ctx, space, view } = open
  const key = keyOf(open, asked)
  const rows = rowsOf(open, more)
  // A description that cannot be read now may be later, and no row says when.
  const passing = once || rows.includes(' !')
  const stamp = stampOf(timed, rows)
  let prepared = view.answers.get(key)
  if (prepared?.stamp !== stamp) {
    const value = await make()
    const bytes = Buffer.isBuffer(value) ? value : Buffer.from(JSON.stringify(value))
    if (ctx.config.checkReplies) schema.parse(Buffer.isBuffer(value) ? JSON.parse(value.toString()) : value)
    const etag = own ? sha256(bytes).slice(0, 40) : stamp === '' ? view.oid : `${view.oid}-${tag(stamp)}`
    prepared = { stamp, etag, bytes } satisfies Prepared
    if (!passing) keepAnswer(ctx, space.id, view, key, prepared)
  }
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
