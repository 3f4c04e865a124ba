import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

export type UnsentLimits = {
  /**
   * After waiting this long, an answer whose client reads less than `stalledRate` may be ended for
   * others.
   */
  stalledMs: number
  /** In bytes per second. */
  stalledRate: number
  /** The bytes per second that a client has to read within `windowMs` of waiting. */
  leastRate: number
  windowMs: number
}

/** An answer that its client has not read at once, and how fast it reads. */
export class Answer {
  readonly res: ServerResponse
  /** The group of addresses whose share it counts against. */
  readonly group: string | undefined
  readonly #socket: Socket
  readonly #ownPace: boolean
  /**
   * The milliseconds in which bytes waited since the window began, and the bytes that the system
   * took meanwhile.
   */
  #waited = 0
  #taken: number
  #start: number
  #measured = performance.now()

  constructor(
    socket: Socket,
    res: ServerResponse,
    { group, ownPace }: { group: string | undefined; ownPace: boolean },
  ) {
    this.#socket = socket
    this.res = res
    this.group = group
    this.#ownPace = ownPace
    this.#start = takenFrom(socket)
    this.#taken = this.#start
  }

  /** Measures how much the client has read. Time in which nothing waits does not count. */
  measure(now: number): void {
    if (this.res.writableLength > 0) this.#waited += Math.max(0, now - this.#measured)
    this.#measured = now
    this.#taken = takenFrom(this.#socket)
  }

  /** The bytes per second that the client has read since the window began. */
  get rate(): number {
    return (this.#taken - this.#start) / (this.#waited / 1000)
  }

  /** Returns whether the answer may be ended for others. */
  isStalled({ stalledMs, stalledRate }: UnsentLimits): boolean {
    return this.res.writableLength > 0 && this.#waited >= stalledMs && this.rate < stalledRate
  }

  /** Returns whether the client was too slow at the end of a window, and begins the next one. */
  isTooSlow({ leastRate, windowMs }: UnsentLimits): boolean {
    if (this.#waited < windowMs) return false
    const isSlow = this.rate < leastRate
    this.#waited = 0
    this.#start = this.#taken
    return isSlow && !this.#ownPace
  }

  /** Closes the connection. */
  end(): void {
    this.res.destroy()
    this.#socket.destroy()
  }
}

/**
 * The handle of a socket counts the bytes of large writes that the system has taken; the socket
 * only whole writes.
 */
type Counting = { _handle?: { bytesWritten?: number; writeQueueSize?: number } | null }

/** Returns the number of bytes of a connection that the system has taken. */
function takenFrom(socket: Socket): number {
  const { bytesWritten = 0, writeQueueSize = 0 } = (socket as Counting)._handle ?? {}
  return bytesWritten - writeQueueSize
}
