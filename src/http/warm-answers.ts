import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Actor } from '../access/asker.ts'
import { BoundedCache } from '../lib/bounded-cache.ts'
import type { Store } from '../store/store.ts'
import { answerHeaders } from './answer-headers.ts'
import { notModified } from './conditional.ts'
import { type Bytes, headersOf } from './endpoint.ts'

/** What an entry weighs beside its key and its bytes. */
const entryBytes = 1_000

export type Warm = {
  bytes: Buffer
  etag: string
  /** The headers of a 200 and of a 304, name after value, as `writeHead` takes them fastest. */
  whole: readonly string[]
  known: readonly string[]
  /** The rows as of which it was made: see `Store.version`. */
  version: number
  /** Until when the caller's token is known to be good, in milliseconds since 1970. */
  until: number
  holds: () => boolean
  userId: string
  tokenId: string
}

/** Why an answer may be given again without asking anew who asks and what for. */
export type Warmth = Pick<Warm, 'version' | 'until'> & { actor: Actor }

/**
 * Answers that can be given again at once, to the same token and for the same address: as long as no row has changed, the
 * token has not run out and Git's refs are what they were. Whatever else there is to ask was asked when they were made.
 */
export class WarmAnswers {
  readonly #store: Store
  readonly #entries: BoundedCache<string, Warm>

  /** Keeps at most `bytes` of answers, by estimate. */
  constructor(store: Store, bytes = 16 * 1024 * 1024) {
    this.#store = store
    this.#entries = new BoundedCache(bytes)
  }

  /** Keeps an answer that says how long it holds; others are passed over. */
  keep(req: IncomingMessage, url: string, made: Bytes, { version, until, actor }: Warmth): void {
    const { bytes, etag, holds } = made
    if (actor.type !== 'user') return
    if (!holds || etag === undefined || !Buffer.isBuffer(bytes) || req.method !== 'GET') return
    if (version !== this.#store.version()) return
    const known = [...fixed, ...Object.entries(headersOf(made)).flat()]
    const whole = [
      ...known,
      'Content-Type',
      made.type ?? 'application/json; charset=utf-8',
      'Content-Length',
      String(bytes.length),
    ]
    const whose = { userId: actor.user.id, tokenId: actor.token.id }
    const entry = { bytes, etag, whole, known, version, until, holds, ...whose }
    const key = keyOf(req, url)
    // One page has many addresses, and some are longer than its answer.
    this.#entries.set(key, entry, key.length + bytes.length + entryBytes)
  }

  /** The kept answer to a request, if there is one that still holds. Throws nothing: nobody would catch it. */
  find(req: IncomingMessage): Warm | undefined {
    if (req.method !== 'GET') return undefined
    const key = keyOf(req, req.url ?? '')
    const warm = this.#entries.get(key)
    if (!warm) return undefined
    try {
      if (warm.version === this.#store.version() && Date.now() < warm.until && warm.holds()) return warm
    } catch {
      // Whoever makes the answer anew comes upon the same error, and it is answered and logged.
    }
    this.#entries.delete(key)
    return undefined
  }
}

/** Sends a kept answer, or tells who has it already; gives the status. */
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

/** The headers that stand on every answer. */
const fixed = Object.entries(answerHeaders).flat()

const keyOf = (req: IncomingMessage, url: string): string => `${req.headers.authorization ?? ''}\n${url}`
