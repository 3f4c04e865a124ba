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
  /** What the answer is made from beside the revision; '' for nothing. */
  stamp?: string
  /** How many seconds it holds when it is of one revision: for good when not said, 0 when it may change at any time. */
  seconds?: number
  /** The ETag is of the answer itself, not of the revision: it stays while other pages change. */
  own?: boolean
  /** Not to be kept for the next who asks. */
  once?: boolean
}

const forGood = 31_536_000
const tag = (text: string) => sha256(text).slice(0, 16)

const keyOf = (open: OpenContent, asked: string): string => `${open.scope} ${asked}`

/** Whether an answer that depends on nothing but the revision is there already. */
export const isAnswered = (open: OpenContent, asked: string): boolean =>
  open.view.answers.has(keyOf(open, asked))

/** The answer to a question about a revision, made by `make` (a value, or its JSON as bytes) or kept from the time before. */
export async function answer(
  open: OpenContent,
  { asked, schema, stamp = '', seconds = forGood, own = false, once = false }: Asked,
  make: () => unknown,
): Promise<Bytes> {
  const { ctx, space, view } = open
  const key = keyOf(open, asked)
  let prepared = view.answers.get(key)
  if (prepared?.stamp !== stamp) {
    const value = await make()
    const bytes = Buffer.isBuffer(value) ? value : Buffer.from(JSON.stringify(value))
    if (ctx.config.checkReplies) schema.parse(Buffer.isBuffer(value) ? JSON.parse(value.toString()) : value)
    const etag = own ? sha256(bytes).slice(0, 40) : stamp === '' ? view.oid : `${view.oid}-${tag(stamp)}`
    prepared = { stamp, etag, bytes } satisfies Prepared
    if (!once) keepAnswer(ctx, space.id, view, key, prepared)
  }
  const { etag, bytes } = prepared
  // Once the repository is mended the same revision says more.
  if (!isWhole(view)) return { bytes }
  const { holds } = open
  // What has a stamp changes with time, too.
  if (!open.pinned) return { bytes, etag, ...(holds && stamp === '' && !once && { holds }) }
  if (seconds === 0) return { bytes, etag }
  const lasting = `private, max-age=${seconds}`
  return { bytes, etag, cacheControl: seconds === forGood ? `${lasting}, immutable` : lasting }
}
