import type { Logger } from 'pino'
import { watchPushes } from './actions/watch-pushes.ts'
import type { Context } from './context.ts'
import { note } from './store/note.ts'
import { listStuckSpaces } from './store/operations.ts'

const second = 1_000
const checkpointMs = 300 * second
const clockMs = 15 * second
const stuckMs = 30 * second
const pushesMs = 60 * second
/** By how many milliseconds a clock may be put right without anybody hearing of it. */
const mostJump = 60 * second
/** A log of this many bytes is one that something keeps from being written back. */
const mostLog = 256 * 1024 * 1024

/**
 * Looks after a running server now and then: SQLite's log, the machine's clock, spaces that got stuck, pushes to spaces that
 * nobody reads. Gives what ends it, and waits for what is under way.
 */
export function startWatch(ctx: Context): () => Promise<void> {
  const ended = new AbortController()
  const look = watchPushes(ctx, ended.signal)
  let looking = Promise.resolve()
  let isLooking = false
  const lookForPushes = () => {
    if (isLooking) return
    isLooking = true
    looking = look()
      .catch(error => ctx.log.error({ err: String(error) }, 'pushes cannot be looked for'))
      .finally(() => {
        isLooking = false
      })
  }
  const timers = [
    setInterval(() => writeLogBack(ctx), checkpointMs),
    setInterval(watchClock(ctx.log), clockMs),
    setInterval(watchStuck(ctx), stuckMs),
    setInterval(lookForPushes, pushesMs),
  ]
  for (const timer of timers) timer.unref()
  return async () => {
    ended.abort()
    for (const timer of timers) clearInterval(timer)
    await looking
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

/** Gives a function that tells of each space that became read-only since it was last called, and of each that no longer is. */
export function watchStuck(ctx: Pick<Context, 'store' | 'now' | 'log'>): () => void {
  let known = new Set<string>()
  return () => {
    let stuck = known
    note(() => {
      stuck = new Set(listStuckSpaces(ctx.store, ctx.now()))
    })
    for (const space of stuck)
      if (!known.has(space))
        ctx.log.error(
          { space },
          'the space is read-only: a change to it could not be finished. Make room on the disk, and run "stemma verify"; then write to it again, or restart the server',
        )
    for (const space of known)
      if (!stuck.has(space)) ctx.log.info({ space }, 'the space can be written to again')
    known = stuck
  }
}
