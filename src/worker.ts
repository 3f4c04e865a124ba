import type { Context } from './context.ts'
import { jobs } from './jobs/all.ts'
import type { JobRun } from './jobs/run.ts'
import { randomId } from './lib/digest.ts'
import { onEnqueue } from './queue/enqueue.ts'
import type { JobKind } from './queue/kinds.ts'
import {
  buryJob,
  claimJob,
  finishJob,
  type JobSelection,
  mostStarts,
  nextJobTime,
  postponeJob,
  releaseJobs,
} from './store/events/jobs.ts'
import { note, saysCannotWrite } from './store/note.ts'
import type { JobRow } from './store/tables/rows.ts'

/** Places for jobs of some kinds. */
type Places = {
  selection: JobSelection
  /** How many jobs run at once. */
  atOnce: number
  /** How many of them may be young: one that takes long most likely waits for a remote host. */
  youngAtOnce: number
  /** Each job that runs, with when it is young no more. */
  running: Map<Promise<void>, number>
}

const deliveries: readonly JobKind[] = ['deliver-webhook']
const remote: readonly JobKind[] = ['git-sync', 'process-openapi']

/**
 * Jobs that wait for other hosts have places of their own, so that local work never waits for a host. One user and one
 * organization hold only some of these places.
 */
const newPlaces = (): Places[] => [
  {
    selection: { kinds: { except: [...remote, ...deliveries] } },
    atOnce: 6,
    youngAtOnce: 2,
    running: new Map(),
  },
  {
    selection: { kinds: { only: remote }, perUser: 2, perOrganization: 4 },
    atOnce: 8,
    youngAtOnce: 2,
    running: new Map(),
  },
  {
    selection: { kinds: { only: deliveries }, perOrganization: 4 },
    atOnce: 8,
    youngAtOnce: 8,
    running: new Map(),
  },
]

const youngMs = 3_000
const mostAttempts = 5
const longestSleep = 60_000
const leastSleep = 50
/** When to look again after it went wrong. */
const retryMs = 1_000
/** When to try a job again that found no room on the disk. */
const noRoomMs = 30_000

/** Claims jobs that are due and runs them, until stopped. */
export class Worker {
  readonly #ctx: () => Context
  readonly #owner = randomId()
  readonly #places = newPlaces()
  readonly #stopping = new AbortController()
  /** What is still to be written of jobs that have ended: where the disk is full it cannot be, for a while. */
  readonly #ends: (() => unknown)[] = []
  #timer: NodeJS.Timeout | undefined
  #waking: NodeJS.Immediate | undefined

  constructor(ctx: () => Context) {
    this.#ctx = ctx
  }

  /** Takes up what an earlier server left running, and begins. */
  start(): void {
    const { store, now } = this.#ctx()
    releaseJobs(store, now())
    // Once what made it due is committed.
    onEnqueue(store, () => this.#wakeSoon())
    this.wake()
  }

  /** Wakes when what is done now is done, once for all who ask, and after requests that have come. */
  #wakeSoon(): void {
    this.#waking ??= setImmediate(() => this.wake())
  }

  /** Looks for due jobs now. Never throws: where nothing can be written now, it looks again a little later. */
  wake(): void {
    this.#waking = undefined
    if (this.#stopping.signal.aborted) return
    clearTimeout(this.#timer)
    let sleep = retryMs
    try {
      this.#writeEnds()
      sleep = Math.min(...this.#places.map(places => this.#startDue(places)))
    } catch (error) {
      this.#ctx().log.error({ err: String(error) }, 'jobs cannot be claimed now')
    }
    this.#timer = setTimeout(() => this.wake(), sleep).unref()
  }

  /** Starts what is due and finds room; gives how many milliseconds there is nothing to do then. */
  #startDue(places: Places): number {
    const { store, now } = this.#ctx()
    const { selection, running } = places
    for (;;) {
      const next = nextJobTime(store, selection)
      const sleep = next === undefined ? longestSleep : Math.min(longestSleep, next - now().getTime())
      const room = roomIn(places)
      if (sleep > 0 || room > 0) return Math.max(sleep, room)
      const job = claimJob(store, this.#owner, now().getTime(), selection)
      if (!job) return leastSleep
      const run = this.#run(job).finally(() => {
        running.delete(run)
        this.#wakeSoon()
      })
      running.set(run, performance.now() + youngMs)
    }
  }

  /** Asks running jobs to stop and waits for them; what is not done waits for the next server. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    clearTimeout(this.#timer)
    clearImmediate(this.#waking)
    await Promise.allSettled(this.#places.flatMap(({ running }) => [...running.keys()]))
    // What cannot be written now is left to the next server.
    note(() => this.#writeEnds())
  }

  /** Writes down how jobs ended. Throws where nothing can be written now; then they stay to be written. */
  #writeEnds(): void {
    for (let end = this.#ends[0]; end; end = this.#ends[0]) {
      try {
        end()
      } catch (error) {
        if (saysCannotWrite(error)) throw error
        this.#ctx().log.error({ err: String(error) }, 'the end of a job cannot be written')
      }
      this.#ends.shift()
    }
  }

  async #run(job: JobRow): Promise<void> {
    const ctx = this.#ctx()
    const run = jobs[job.kind as JobKind] as JobRun<never> | undefined
    const started = performance.now()
    try {
      if (!run) throw new Error(`There is no job of the kind "${job.kind}".`)
      if (job.attempts > mostStarts)
        throw new Error(`It was begun ${mostStarts} times and never came to an end: it may end the server.`)
      const about = { signal: this.#stopping.signal, attempt: job.attempts }
      await run(ctx, JSON.parse(job.payload) as never, about)
      this.#ends.push(() => finishJob(ctx.store, job.id))
      ctx.log.info({ job: job.kind, id: job.id, ms: Math.round(performance.now() - started) }, 'job done')
    } catch (error) {
      this.#ends.push(this.#endAfter(job, error))
    }
    note(() => this.#writeEnds())
  }

  /** What is to be written of a job that went wrong. What is not its own doing is not counted against it. */
  #endAfter(job: JobRow, error: unknown): () => unknown {
    const { store, log, now } = this.#ctx()
    const message = error instanceof Error ? error.message : String(error)
    const uncounted = { uncounted: true }
    if (this.#stopping.signal.aborted) return () => postponeJob(store, job.id, job.run_at, message, uncounted)
    const about = { job: job.kind, id: job.id, attempts: job.attempts, err: message }
    log.error(about, 'job failed')
    if (findsNoRoom(error))
      return () => postponeJob(store, job.id, now().getTime() + noRoomMs, message, uncounted)
    if (job.attempts < mostAttempts) {
      const retryAt = now().getTime() + 1000 * 4 ** job.attempts
      return () => postponeJob(store, job.id, retryAt, message)
    }
    log.error(
      about,
      'a job was given up: the log says why it failed; the next start of the server tries it again',
    )
    return () => buryJob(store, job.id, message)
  }
}

/** Whether it says that nothing can be written now, be it by SQLite, by Git or by the system. */
const findsNoRoom = (error: unknown): boolean =>
  saysCannotWrite(error) ||
  ['no_space', 'ENOSPC', 'EDQUOT'].includes(String((error as { code?: unknown } | undefined)?.code))

/**
 * Milliseconds until there is room for another job, 0 where there is; what ends earlier wakes us. Slow remote hosts
 * hold up others for a moment, not for as long as a fetch may take.
 */
function roomIn({ running, atOnce, youngAtOnce }: Places): number {
  if (running.size >= atOnce) return longestSleep
  const now = performance.now()
  const young = [...running.values()].filter(until => until > now)
  return young.length < youngAtOnce ? 0 : Math.min(...young) - now
}
