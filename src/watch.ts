import { setTimeout as sleep } from 'node:timers/promises'
import { backgroundRest, PushWatch } from './actions/heads/watch-pushes.ts'
import { discardStale } from './actions/sharing/discard-stale.ts'
import { keepCaches } from './actions/sharing/keep-caches.ts'
import { readiness } from './actions/upkeep/readiness.ts'
import { setOrphansAside } from './actions/upkeep/set-orphans-aside.ts'
import { removeCopies } from './actions/uploads/remove-uploads.ts'
import type { Context } from './context.ts'
import { type JumpWatch, machineClock } from './lib/clock.ts'
import { writeLastSeen } from './lib/last-seen.ts'
import { type FolderLock, LockedError } from './lock.ts'
import { lastSeenFile } from './open.ts'
import { warmSites } from './site/warm-sites.ts'
import { deleteLeftClaims } from './store/events/idempotency.ts'
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
/** When what happened while no server ran is looked for: the first requests go first. */
const soonMs = second
const allMs = 3_600 * second
/** How long the server at most waits for front pages before it reports that it is ready. */
const readyMs = 300
const pruneMs = 3_600 * second
/** When the indexes follow spaces that other nodes have written to. */
const keepMs = 10 * second
/** When purged content is removed from a node that does not use it. */
const discardMs = 60 * second
const seenMs = 60 * second
const usesMs = 60 * second
/** How often the sums of what readers of sites do are written. */
const eventsMs = 10 * second
/** How old what background work knows of other nodes may be. */
const lookMs = second
/** A larger log in bytes means that something prevents checkpoints. */
const mostLog = 256 * 1024 * 1024

/**
 * Starts the periodic checks of a running server: the folder's lock, SQLite's log, the machine's
 * clock, the uses of tokens, stuck spaces, pushes to spaces that are not read, and folders that were
 * changed by hand. Renders the front pages of public sites at once. Returns a function that stops the
 * checks and waits for running ones.
 */
export function startWatch(ctx: Context, lock: Pick<FolderLock, 'renew'>): () => Promise<void> {
  const ended = new AbortController()
  const { signal } = ended
  const rounds = new Set<Promise<void>>()
  const inBackground = (work: () => Promise<void>, failed: string) => {
    let round: Promise<void> | undefined
    return (): Promise<void> => {
      if (round && rounds.has(round)) return round
      const current = looked(ctx)
        .then(work)
        .catch(error => ctx.log.error({ err: String(error) }, failed))
        .finally(() => rounds.delete(current))
      round = current
      rounds.add(current)
      return current
    }
  }
  const slowly = { rest: backgroundRest, signal }
  const warmed = inBackground(() => warmSites(ctx, slowly), 'front pages cannot be rendered')()
  const waited = sleep(readyMs, undefined, { ref: false, signal }).catch(() => {})

  ctx.caches.get(readiness).reached = Promise.race([warmed, waited])
  const pushes = new PushWatch(ctx, signal)
  const lookAtMarked = inBackground(() => pushes.lookAtMarked(), 'pushes cannot be looked for')
  const lookAtAll = inBackground(() => pushes.lookAtAll(), 'spaces cannot be looked at')
  const keep = inBackground(() => keepCaches(ctx, signal), 'caches cannot be kept')
  const epochs = new Map<string, string>()
  const discard = inBackground(async () => {
    await discardStale(ctx, epochs)
    await removeCopies(ctx)
  }, 'caches cannot be discarded')
  const setAside = inBackground(() => setOrphansAside(ctx), 'repositories cannot be set aside')
  const soon = setTimeout(() => Promise.all([lookAtMarked(), discard(), setAside()]), soonMs)

  // If the clock jumps within the first minute, the next start still has a correct time to compare
  // with.
  noteTime(ctx)
  const timers = [
    setInterval(() => watchLock(ctx, lock), lockMs),
    setInterval(() => looked(ctx).catch(() => {}), lookMs),
    setInterval(
      inBackground(() => prune(ctx), 'rows cannot be pruned'),
      pruneMs,
    ),
    setInterval(() => writeLogBack(ctx), checkpointMs),
    setInterval(() => watchClock(ctx), clockMs),
    setInterval(() => noteTime(ctx), seenMs),
    setInterval(() => note(() => ctx.tokenUses.write()), usesMs),
    setInterval(() => note(() => ctx.siteEvents.write()), eventsMs),
    setInterval(watchStuck(ctx), stuckMs),
    setInterval(lookAtMarked, pushesMs),
    setInterval(discard, discardMs),
    setInterval(keep, keepMs),
    setInterval(lookAtAll, allMs),
  ]

  for (const timer of [...timers, soon]) timer.unref()

  return async () => {
    ended.abort()
    clearTimeout(soon)
    for (const timer of timers) clearInterval(timer)
    noteTime(ctx)
    await Promise.all(rounds)
  }
}

/** Deletes the rows of nodes that none of them needs any more. */
async function prune({ store }: Context): Promise<void> {
  await store.pruneChanges()
  await deleteLeftClaims(store)
}

/** Learns what other nodes have written, where they write the same rows. */
const looked = async ({ store: { gate } }: Context): Promise<void> => gate?.pass()

/**
 * Recreates and locks removed lock files of the folder. Throws, which ends the process, if another
 * server has locked the folder meanwhile.
 */
function watchLock({ log }: Pick<Context, 'log'>, lock: Pick<FolderLock, 'renew'>): void {
  let gone: string[]
  try {
    gone = lock.renew()
  } catch (error) {
    // The disk is full or not writable: the remaining lock files still hold, and the next call
    // retries.
    if (!(error instanceof LockedError)) return
    log.fatal(
      'the lock files of the data folder were removed, and another server has locked it: this server exits',
    )
    throw error
  }

  if (gone.length > 0)
    log.error(
      { files: gone },
      'lock files of the data folder were removed and have been recreated: do not remove them',
    )
}

/** Checkpoints SQLite's log into the database, and warns if more than `most` bytes remain. */
export function writeLogBack({ store, log }: Pick<Context, 'store' | 'log'>, most = mostLog): void {
  let bytes = 0
  note(() => {
    bytes = store.checkpoint()
  })

  if (bytes > most)
    log.warn(
      { bytes },
      "the database's log cannot be written back: stop long-running readers, such as a backup or another program that has stemma.db or derived.db open",
    )
}

/**
 * Warns if the clock of the machine has jumped since the last call. After a jump backwards, jobs
 * and deliveries scheduled in the future keep their remaining delay instead of waiting for the
 * clock to catch up.
 */
export function watchClock(
  ctx: Pick<Context, 'config' | 'store' | 'now' | 'log' | 'wake'>,
  clock: JumpWatch = machineClock,
): void {
  const jump = clock.takeJump()
  if (jump === 0) return
  ctx.log.warn(
    { seconds: Math.round(jump / second) },
    'the clock of this machine has jumped, or the machine slept: nothing is destroyed because of its age for an hour. Set the clock right',
  )
  // Jobs in a database on another machine run by its clock.
  if (jump > 0 || ctx.config.database) return
  note(() =>
    ctx.store.transact(() => {
      const now = ctx.now()
      retimeJobs(ctx.store, now)
      retimeDeliveries(ctx.store, now)
    }),
  )
  ctx.wake()
}

/**
 * Saves the time for the next start, unless the clock may be wrong: a restart must not make a wrong
 * time trusted.
 */
function noteTime(ctx: Context): void {
  if (ctx.destroyWait() === 0) writeLastSeen(lastSeenFile(ctx.config), new Date())
}

/**
 * Returns a function that logs each space that became read-only since its last call, and each that
 * is writable again.
 */
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
          'the space is read-only because a change could not be finished. Make room on the disk and run "stemma verify"; then write to the space again, or restart the server',
        )

    for (const space of known)
      if (!stuck.has(space)) ctx.log.info({ space }, 'the space is writable again')
    known = stuck
  }
}
