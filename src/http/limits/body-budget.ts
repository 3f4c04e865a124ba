import { getHeapStatistics } from 'node:v8'
import { Fault } from '../../errors.ts'

const megabyte = 1_000_000
/** Bytes of state that one decompression holds besides its output. */
const inflateBytes = 64 * 1024
/** The number of bodies that one user may be sending at the same time. */
const mostOpen = 100

/** The bytes that all requests of one user hold. */
type Share = { bytes: number; open: number }

/** The memory that one request's body takes, until `release`. */
export type Hold = {
  /**
   * Counts received bytes; a negative number returns some. Throws 'too_many' or 'unavailable' when
   * the share or the budget is spent.
   */
  add: (bytes: number) => void
  /** Marks the body as received or abandoned. */
  arrived: () => void
  release: () => void
}

/**
 * The memory that all request bodies may take together, counted as bytes arrive and after
 * decompression. Each user has a share, so that no single user can exhaust it.
 */
export class BodyBudget {
  readonly #most: number
  readonly #share: number
  readonly #shares = new Map<string, Share>()
  #held = 0

  /**
   * The default is a quarter of the heap, between 64 and 100 MB; a share has room for one body of
   * the largest kind.
   */
  constructor(most = defaultMost(), share = Math.max(32 * megabyte, most * 0.4)) {
    this.#most = most
    this.#share = share
  }

  /** The bytes held now. */
  get held(): number {
    return this.#held
  }

  /**
   * Starts counting a body of a user. Throws 'too_many' when the user is already sending too many.
   */
  open(userId: string, { inflated }: { inflated: boolean }): Hold {
    const share = this.#shares.get(userId) ?? { bytes: 0, open: 0 }
    if (share.open >= mostOpen)
      throw new Fault(
        'too_many_concurrent',
        `More than ${mostOpen} of your requests are still being sent. Wait until some are finished.`,
        undefined,
        { label: 'open_bodies', retryAfter: 10 },
      )

    this.#shares.set(userId, share)
    share.open++
    let own = 0
    const add = (bytes: number) => {
      if (bytes > 0) this.#check(share, bytes)
      own += bytes
      share.bytes += bytes
      this.#held += bytes
    }
    let isOpen = true
    const arrived = () => {
      if (!isOpen) return
      isOpen = false
      share.open--
      if (inflated && own >= inflateBytes) add(-inflateBytes)
    }

    const release = () => {
      arrived()
      add(-own)
      if (share.bytes === 0 && share.open === 0) this.#shares.delete(userId)
    }

    try {
      if (inflated) add(inflateBytes)
    } catch (error) {
      release()
      throw error
    }

    return { add, arrived, release }
  }

  #check(share: Share, bytes: number): void {
    if (share.bytes + bytes > this.#share)
      throw new Fault(
        'too_many_concurrent',
        'Your concurrent requests carry too much data together. Send large requests one after the other.',
        undefined,
        { label: 'body_share', retryAfter: 5 },
      )
    if (this.#held + bytes > this.#most)
      throw new Fault(
        'busy',
        'The server is receiving too many large requests. Try again in a few seconds.',
        undefined,
        { label: 'body_budget', retryAfter: 5 },
      )
  }
}

const defaultMost = (): number =>
  Math.min(100 * megabyte, Math.max(64 * megabyte, getHeapStatistics().heap_size_limit / 4))
