import { watchPushes } from './actions/heads/watch-pushes.ts'
import type { Context } from './context.ts'
import { type JumpWatch, machineClock } from './lib/clock.ts'
import { writeLastSeen } from './lib/last-seen.ts'
import { type FolderLock, LockedError } from './lock.ts'
import { lastSeenFile } from './open.ts'
import { retimeJobs } from './store/events/jobs.ts'
import { retimeDeliveries } from './store/events/webhook-deliveries.ts'
import { listStuckSpaces } from './store/git/intents.ts'
import { note } from './store/note.ts'

const second = 1_000
const checkpointMs = 300 * second
const lockMs = 2 * second
const clockMs = 15 * second
const stuckMs = 30 * second
const pushesMs = 60 * second
const seenMs = 60 * second
/** A log of this many bytes is one that something keeps from being written back. */
const mostLog = 256 * 1024 * 1024

/**
 * Looks after a running server now and then: the folder's lock, SQLite's log, the machine's clock, spaces that got stuck,
 * pushes to spaces that nobody reads. Returns what ends it, and waits for what is under way.
 */
export function startWatch(ctx: Context, lock: Pick<FolderLock, 'renew'>): () => Promise<void> {
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
  // A clock that jumps within the first minute must not be all that the next start knows.
  noteTime(ctx)
  const timers = [
    setInterval(() => watchLock(ctx, lock), lockMs),
    setInterval(() => writeLogBack(ctx), checkpointMs),
    setInterval(() => watchClock(ctx), clockMs),
    setInterval(() => noteTime(ctx), seenMs),
    setInterval(watchStuck(ctx), stuckMs),
    setInterval(lookForPushes, pushesMs),
  ]
  for (const timer of timers) timer.unref()
  return async () => {
    ended.abort()
    for (const timer of timers) clearInterval(timer)
    noteTime(ctx)
    await looking
  }
}

/**
 * Locks the folder anew where somebody has removed its lock files. Throws, which ends the process, when another server has
 * taken it meanwhile.
 */
function watchLock({ log }: Pick<Context, 'log'>, lock: Pick<FolderLock, 'renew'>): void {
  let gone: string[]
  try {
    gone = lock.renew()
  } catch (error) {
    // A full disk, or one that cannot be written: the lock files that are left still hold, and it is tried again.
    if (!(error instanceof LockedError)) return
    log.fatal('the lock files of the data folder were removed, and another server has it now: this one ends')
    throw error
  }
  if (gone.length > 0)
    log.error(
      { files: gone },
      'lock files of the data folder were removed, and are made anew: leave them alone',
    )
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

/**
 * Warns when the clock of the machine has jumped since the last call. After a jump backwards, jobs and deliveries from the
 * future wait as long as they would have, and not until the clock is there again.
 */
export function watchClock(
  ctx: Pick<Context, 'store' | 'now' | 'log' | 'wake'>,
  clock: JumpWatch = machineClock,
): void {
  const jump = clock.takeJump()
  if (jump === 0) return
  ctx.log.warn(
    { seconds: Math.round(jump / second) },
    'the clock of this machine has jumped, or the machine slept: nothing is destroyed because of its age for an hour. Set the clock right',
  )
  if (jump > 0) return
  note(() =>
    ctx.store.transact(() => {
      const now = ctx.now()
      retimeJobs(ctx.store, now)
      retimeDeliveries(ctx.store, now)
    }),
  )
  ctx.wake()
}

/** Notes the time for the next start, but not by a clock that may be wrong: a restart must not make it a right one. */
function noteTime(ctx: Context): void {
  if (ctx.destroyWait() === 0) writeLastSeen(lastSeenFile(ctx.config), new Date())
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
