const second = 1_000
const minute = 60 * second
const hour = 60 * minute

/** A correction of the machine's clock up to this many milliseconds is ordinary; a larger one is a jump. */
export const mostCorrection = minute

/** How many milliseconds after a jump nothing is destroyed because of its age: time for somebody to correct the clock. */
const restMs = hour

/** How long a server may have been stopped, in milliseconds, for its clock to be believed at the next start. */
const shortStop = 10 * minute

/**
 * Returns a clock that never repeats a millisecond. It follows the machine's clock forwards at once. It does not follow
 * corrections of less than a minute backwards but stands still until they have passed; a larger step backwards it
 * follows, because times in the future would stay in the rows otherwise. Lists are ordered by row number, not by time.
 */
export function steadyClock(read: () => number = Date.now): () => Date {
  let last = 0
  return () => {
    const now = read()
    last = now < last - mostCorrection ? now : Math.max(now, last + 1)
    return new Date(last)
  }
}

/** Compares the machine's clock with the monotonic one. A machine that was suspended looks like a jump forwards. */
export class JumpWatch {
  readonly #wall: () => number
  readonly #steady: () => number
  #offset: number
  #jumpedAt = Number.NEGATIVE_INFINITY
  /** Milliseconds of the jumps that `takeJump` has not returned yet. */
  #untold = 0

  constructor(wall: () => number = () => Date.now(), steady: () => number = () => performance.now()) {
    this.#wall = wall
    this.#steady = steady
    this.#offset = wall() - steady()
  }

  #look(): void {
    const jump = this.#wall() - this.#steady() - this.#offset
    this.#offset += jump
    if (Math.abs(jump) <= mostCorrection) return
    this.#jumpedAt = this.#steady()
    this.#untold += jump
  }

  /** Returns the milliseconds by which the clock has jumped since the last call: negative when backwards, 0 for none. */
  takeJump(): number {
    this.#look()
    const jump = this.#untold
    this.#untold = 0
    return jump
  }

  /** Returns the monotonic milliseconds since the last jump, Infinity when there was none. */
  sinceJump(): number {
    this.#look()
    return this.#steady() - this.#jumpedAt
  }
}

/** The clock of the machine, watched since the process started. */
export const machineClock = new JumpWatch()

/**
 * Returns a function that gives the milliseconds for which nothing may be destroyed because of its age: 0 as a rule; up
 * to an hour of uptime after the clock jumped, or after a start at which it differs much from `seenAt`, the last time
 * that an earlier server saw (milliseconds since 1970; undefined: there was none). A server that was stopped for a week
 * waits too: a clock alone cannot tell the two apart.
 */
export function destroyWait(
  seenAt: number | undefined,
  jumps: JumpWatch = machineClock,
  wall: () => number = () => Date.now(),
  steady: () => number = () => performance.now(),
): () => number {
  const started = steady()
  const gap = seenAt === undefined ? 0 : wall() - seenAt
  const rest = gap < -mostCorrection || gap > shortStop ? restMs : 0
  return () => Math.ceil(Math.max(0, rest - (steady() - started), restMs - jumps.sinceJump()))
}
