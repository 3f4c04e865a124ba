const second = 1_000
const minute = 60 * second
const hour = 60 * minute

/** A clock correction of up to this many milliseconds is normal; a larger one is a jump. */
const mostCorrection = minute

/**
 * Milliseconds after a jump during which nothing is deleted by age, so that the clock can be
 * corrected.
 */
const restMs = hour

/** The longest downtime in milliseconds after which the clock is trusted at startup. */
const shortStop = 10 * minute

/**
 * Returns a clock that never repeats a millisecond. It follows the machine's clock forwards
 * immediately. Backwards corrections of less than a minute are absorbed by standing still until
 * they have passed; larger ones are followed, because otherwise rows would keep times in the
 * future. Lists are ordered by row number, not by time.
 */
export function steadyClock(read: () => number = Date.now): () => Date {
  let last = 0
  return () => {
    const now = read()
    last = now < last - mostCorrection ? now : Math.max(now, last + 1)
    return new Date(last)
  }
}

/**
 * Compares the machine's clock with the monotonic one. A suspended machine looks like a jump
 * forwards.
 */
export class JumpWatch {
  readonly #wall: () => number
  readonly #steady: () => number
  #offset: number
  #jumpedAt = Number.NEGATIVE_INFINITY
  /** Milliseconds of jumps not yet returned by `takeJump`. */
  #untold = 0

  constructor(
    wall: () => number = () => Date.now(),
    steady: () => number = () => performance.now(),
  ) {
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

  /**
   * Returns the milliseconds by which the clock has jumped since the last call: negative for
   * backwards, 0 for none.
   */
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

/** The machine's clock, watched since the process started. */
export const machineClock = new JumpWatch()

/**
 * Returns a function that returns the milliseconds for which nothing may be deleted by age:
 * normally 0; up to an hour of uptime after the clock jumped, or after a start at which it differs
 * much from `seenAt`, the last time an earlier server recorded (milliseconds since 1970; undefined:
 * none). A server that was stopped for a week waits too: a clock alone cannot distinguish the two
 * cases.
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
