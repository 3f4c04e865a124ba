import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Actor } from '../access/asker.ts'
import { BoundedCache } from '../lib/bounded-cache.ts'
import type { ReadScope } from '../store/changes.ts'
import type { Store } from '../store/store.ts'
import { answerHeaders } from './answer-headers.ts'
import { notModified } from './conditional.ts'
import { type Bytes, headersOf } from './endpoint.ts'
import { type Whose, whoseOf } from './limits/throttles.ts'

/** The estimated weight of an entry beside its key and bytes, in bytes. */
const entryBytes = 1_000

export type Warm = {
  bytes: Buffer
  etag: string
  /**
   * The headers of a 200 and of a 304 as name and value in turn, the fastest form for `writeHead`.
   */
  whole: readonly string[]
  known: readonly string[]
  /** The version of the rows that it was made from: see `Store.version`. */
  version: number
  /** The space and the organization that it depends on; undefined: any write invalidates it. */
  scope: ReadScope | undefined
  /** Until when the caller's token is known to be valid, in milliseconds since 1970. */
  until: number
  holds: () => boolean
  whose: Whose
}

/** The conditions under which an answer may be reused without authentication and authorization. */
export type Warmth = Pick<Warm, 'version' | 'until'> & { actor: Actor }

/**
 * A cache of complete answers by token and URL. An answer is valid until a row that it may depend
 * on changes (`Store.isCurrent`), the token expires or the Git ref moves: authorization and
 * everything else were checked when the answer was made.
 */
export class WarmAnswers {
  readonly #store: Store
  readonly #entries: BoundedCache<string, Warm>

  /** Keeps at most `bytes` of answers, by estimate. */
  constructor(store: Store, bytes = 16 * 1024 * 1024) {
    this.#store = store
    this.#entries = new BoundedCache(bytes)
  }

  /** Stores an answer that tells how long it holds; ignores others. */
  keep(req: IncomingMessage, url: string, made: Bytes, { version, until, actor }: Warmth): void {
    const { bytes, etag, holds, scope } = made
    if (actor.type === 'anonymous') return
    if (!holds || etag === undefined || !Buffer.isBuffer(bytes) || req.method !== 'GET') return

    // A reader depends on the rows of their site, which concern its organization.
    const within =
      scope && actor.type === 'reader'
        ? { ...scope, organizationId: actor.site.organization_id }
        : scope
    if (!this.#store.isCurrent(version, within)) return

    const known = [...fixed, ...Object.entries(headersOf(made)).flat()]
    const whole = [
      ...known,
      'Content-Type',
      made.type ?? 'application/json; charset=utf-8',
      'Content-Length',
      String(bytes.length),
    ]

    const entry = {
      bytes,
      etag,
      whole,
      known,
      version,
      scope: within,
      until,
      holds,
      whose: whoseOf(actor),
    }
    const key = keyOf(req, url)

    // One page has many URLs, and some are longer than its answer.
    this.#entries.set(key, entry, key.length + bytes.length + entryBytes)
  }

  /**
   * Returns the cached answer to a request while it is valid. Never throws: no caller would catch
   * it.
   */
  find(req: IncomingMessage): Warm | undefined {
    if (req.method !== 'GET') return undefined
    const key = keyOf(req, req.url ?? '')
    const warm = this.#entries.get(key)
    if (!warm) return undefined

    try {
      if (
        this.#store.isCurrent(warm.version, warm.scope) &&
        Date.now() < warm.until &&
        warm.holds()
      )
        return warm
    } catch {
      // The full path meets the same error, answers it and logs it.
    }

    this.#entries.delete(key)

    return undefined
  }
}

/** Sends a cached answer, or a 304 when the client has it; returns the status. */
export function sendWarm(
  req: IncomingMessage,
  res: ServerResponse,
  { bytes, etag, whole, known }: Warm,
  requestId: string,
): 200 | 304 {
  const unchanged = notModified(req.headers['if-none-match'], etag)
  const status = unchanged ? 304 : 200
  res.writeHead(status, ['X-Request-Id', requestId, ...(unchanged ? known : whole)])
  res.end(unchanged ? undefined : bytes)
  return status
}

/** The headers of every response. */
const fixed = Object.entries(answerHeaders).flat()

const keyOf = (req: IncomingMessage, url: string): string =>
  `${req.headers.authorization ?? ''}\n${url}`
