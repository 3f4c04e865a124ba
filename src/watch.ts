import type { Logger } from 'pino'
import type { Context } from './context.ts'
import { note } from './store/note.ts'

const second = 1_000
const checkpointMs = 300 * second
const clockMs = 15 * second
/** By how many milliseconds a clock may be put right without anybody hearing of it. */
const mostJump = 60 * second
/** A log of this many bytes is one that something keeps from being written back. */
const mostLog = 256 * 1024 * 1024

/** Looks after a running server now and then: SQLite's log and the machine's clock. Gives what ends it. */
export function startWatch(ctx: Context): () => void {
  const timers = [
    setInterval(() => writeLogBack(ctx), checkpointMs),
    setInterval(watchClock(ctx.log), clockMs),
  ]
  for (const timer of timers) timer.unref()
  return () => {
    for (const timer of timers) clearInterval(timer)
  }
}

/** Writes SQLite's log back into the database, and warns when it stays longer than `most` bytes. */
export function writeLogBack({ store, log }: Pick<Context, 'store' | 'log'>, most = mostLog): void {
  let bytes = 0
  note(() => {
    bytes = store.checkpoint()
  })
  if (bytes > most)
    log.warn(
      { bytes },
      "the database's log cannot be written back: end what has been reading for long, such as a backup or another program that has stemma.db open",
    )
}

/** Gives a function that warns when the clock of the machine has jumped since it was last called. */
export function watchClock(
  log: Pick<Logger, 'warn'>,
  wall: () => number = Date.now,
  steady: () => number = () => performance.now(),
): () => void {
  let offset = wall() - steady()
  return () => {
    const jump = wall() - steady() - offset
    offset += jump
    if (Math.abs(jump) > mostJump)
      log.warn(
        { seconds: Math.round(jump / second) },
        'the clock of this machine has jumped, or the machine slept: times of what is written now follow it forwards alone',
      )
  }
}
