import type { z } from 'zod'
import { pick } from '../../access/fields.ts'
import type { OpenContent } from '../../actions/audience/open-content.ts'
import { isWhole } from '../../actions/revisions/view-revision.ts'
import { saysUnread } from '../../actions/specs/read-spec.ts'
import { cacheSlot, stateSlot } from '../../caches.ts'
import type { RevisionView } from '../../content/tree/view.ts'
import { etagOf } from '../../http/conditional.ts'
import type { Bytes } from '../../http/endpoint.ts'
import { findKept, type Kept, keep } from '../../http/kept-answers.ts'
import { sha256 } from '../../lib/digest.ts'
import { SharedWork } from '../../lib/shared-work.ts'

/**
 * How long an answer holds besides its revision: forever, while rows stay the same, or for some
 * seconds.
 */
type Holds =
  | { kind: 'forever' }
  | { kind: 'rows'; rows: string }
  | { kind: 'until'; stamp: string; seconds: number }

/** The answer depends on nothing but the revision. */
const forever: Holds = { kind: 'forever' }

/**
 * Declares that the answer also depends on rows, which the text identifies: it holds until one of
 * them changes.
 */
export const whileRows = (rows: string): Holds => ({ kind: 'rows', rows })

/**
 * Declares that the answer also depends on facts that change with time, which `stamp` identifies; 0
 * seconds: at any time.
 */
export const until = (stamp: string, seconds: number): Holds => ({ kind: 'until', stamp, seconds })

class Once {
  readonly value: unknown

  constructor(value: unknown) {
    this.value = value
  }
}

/** Marks a value made by `answer`'s callback as good for this response only. */
export const once = (value: unknown): Once => new Once(value)

type Question = {
  /** The question with every parameter that makes a difference. */
  key: string
  schema: z.ZodType
  /** `forever` by default. */
  holds?: Holds
  /**
   * The ETag identifies the answer, not the revision, so that it stays while other pages change.
   */
  ownTag?: boolean
  /** False for answers that are too large to keep in memory. */
  keep?: boolean
}

const yearSeconds = 31_536_000

type NewAnswer = { etag: string; bytes: Buffer; once: boolean }

const replies = cacheSlot<Kept<NewAnswer>>('revisionReplies')
const making = stateSlot(() => new SharedWork<NewAnswer>())

/** The estimated weight of a reply beside its bytes, in bytes. */
const overhead = 300

/** The number of each view. A revision that is read again may have other ids. */
const numbers = new WeakMap<RevisionView, number>()
let lastNumber = 0

function numberOf(view: RevisionView): number {
  const number = numbers.get(view) ?? ++lastNumber
  numbers.set(view, number)
  return number
}

/**
 * Returns the answer to a question about a revision, with the fields that the client wants: a kept
 * one, or one made by `make` (a value, or bytes of JSON with these fields alone). Concurrent requests
 * share the work. The signal of `make` aborts when all of their clients have closed the connection.
 */
export async function answer(
  open: OpenContent,
  question: Question,
  make: (signal: AbortSignal) => unknown,
): Promise<Bytes> {
  const { ctx, space, view, shown, audience } = open
  const { holds = forever } = question
  const ofQuestion = holds.kind === 'rows' ? holds.rows : ''
  const rows = [shown.stamp, ofQuestion].filter(Boolean).join(' ')
  const timed = holds.kind === 'until' ? holds.stamp : ''
  const besides = rows === '' ? timed : `${timed} ${rows}`
  const stamp = `${numberOf(view)} ${besides}`
  const whose = audience ? `reader ${audience.claimsId} ` : ''
  const of = open.fields ? ` of ${open.fields.key}` : ''
  const asked = `${whose}${open.scope} ${shown.stamp === '' ? '' : 'computed '}${question.key}${of}`
  const key = `${space.id} ${view.oid} ${asked}`

  const keeps = (question.keep ?? true) && isWhole(view) && !saysUnread(rows)
  const kept = ctx.caches.get(replies)
  const made =
    findKept(ctx.store, kept, key, stamp) ??
    (await ctx.caches.get(making).join(`${key} ${stamp}`, open.signal, async signal => {
      const value = prepare(open, question, besides, await make(signal))
      const size = { weight: value.bytes.length + overhead }
      if (keeps && !value.once) keep(ctx.store, kept, key, { value, size, stamp })
      return value
    }))

  return reply(open, made, { holds, rows, reusable: keeps && timed === '' && !made.once })
}

/** Returns a made value as bytes with its ETag. */
function prepare(
  { ctx, view, audience, fields }: OpenContent,
  question: Question,
  stamp: string,
  made: unknown,
): NewAnswer {
  const value = made instanceof Once ? made.value : made
  // A text has the wanted fields alone.
  const isText = Buffer.isBuffer(value)
  const bytes = isText ? value : Buffer.from(JSON.stringify(pick(fields, value)))
  if (ctx.config.checkReplies && !(isText && fields))
    question.schema.parse(isText ? (JSON.parse(value.toString()) as unknown) : value)

  const of = fields ? ` of ${fields.key}` : ''
  const besides = (audience ? `${stamp} ${audience.claimsId}` : stamp) + of
  const ofRevision = besides === '' ? view.oid : `${view.oid}-${sha256(besides).slice(0, 16)}`
  const etag = question.ownTag ? etagOf(bytes) : ofRevision

  return { etag, bytes, once: made instanceof Once }
}

/** Returns the reply with the validators and lifetimes that apply to it. */
function reply(
  { space, view, pinned, holds: isCurrent }: OpenContent,
  { bytes, etag, once }: NewAnswer,
  { holds, rows, reusable }: { holds: Holds; rows: string; reusable: boolean },
): Bytes {
  // After a repair, the same revision has more content.
  if (!isWhole(view)) return { bytes }

  if (!pinned) {
    const scope = { spaceId: space.id, organizationId: space.organization_id }
    return { bytes, etag, ...(isCurrent && reusable && { holds: isCurrent, scope }) }
  }

  const seconds = holds.kind === 'until' ? holds.seconds : yearSeconds
  if (seconds === 0 || rows !== '' || once) return { bytes, etag }

  const lasting = `private, max-age=${seconds}`

  return { bytes, etag, cacheControl: seconds === yearSeconds ? `${lasting}, immutable` : lasting }
}
