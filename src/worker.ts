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

/** Slots for jobs of some kinds. */
type Places = {
  selection: JobSelection
  /** The number of jobs that may run at once. */
  atOnce: number
  /** The number of them that may be young: a job that has run for long most likely waits for a remote host. */
  youngAtOnce: number
  /** The running jobs, each with the time at which it stops being young. */
  running: Map<Promise<void>, number>
}

const deliveries: readonly JobKind[] = ['deliver-webhook']
const remote: readonly JobKind[] = ['git-sync', 'process-openapi']

/**
 * Jobs that wait for other hosts have their own slots, so that local work never waits for a host. A user or an
 * organization may take only some of these slots.
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
/** The delay before the next attempt to claim jobs after a failure. */
const retryMs = 1_000
/** The delay before a job is retried that failed because the disk was full. */
const noRoomMs = 30_000

/** Claims due jobs and runs them until stopped. */
export class Worker {
  readonly #ctx: () => Context
  readonly #owner = randomId()
  readonly #places = newPlaces()
  readonly #stopping = new AbortController()
  /** The outcomes of jobs that could not be recorded yet, as when the disk is full. */
  readonly #ends: (() => unknown)[] = []
  #timer: NodeJS.Timeout | undefined
  #waking: NodeJS.Immediate | undefined

  constructor(ctx: () => Context) {
    this.#ctx = ctx
  }

  /** Releases the jobs that an earlier server left running, and starts claiming. */
  start(): void {
    const { store, now } = this.#ctx()
    releaseJobs(store, now())
    // Wake only after the transaction that enqueued the job is committed.
    onEnqueue(store, () => this.#wakeSoon())
    this.wake()
  }

  /** Wakes after the current work and pending requests, once for any number of calls. */
  #wakeSoon(): void {
    this.#waking ??= setImmediate(() => this.wake())
  }

  /** Claims and starts due jobs now. Never throws: if nothing can be written, it retries after `retryMs`. */
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

  /** Starts due jobs while there are free slots. Returns the milliseconds until there may be more to do. */
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

  /** Asks running jobs to stop and waits for them; unfinished jobs are left to the next server. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    clearTimeout(this.#timer)
    clearImmediate(this.#waking)
    await Promise.allSettled(this.#places.flatMap(({ running }) => [...running.keys()]))
    // Outcomes that cannot be recorded now are left to the next server.
    note(() => this.#writeEnds())
  }

  /** Records the outcomes of ended jobs. Throws if nothing can be written; the rest is kept for the next call. */
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
        throw new Error(
          `The job was started ${mostStarts} times and never finished. It may be crashing the server.`,
        )
      const about = { signal: this.#stopping.signal, attempt: job.attempts }
      await run(ctx, JSON.parse(job.payload) as never, about)
      this.#ends.push(() => finishJob(ctx.store, job.id))
      ctx.log.info({ job: job.kind, id: job.id, ms: Math.round(performance.now() - started) }, 'job done')
    } catch (error) {
      this.#ends.push(this.#endAfter(job, error))
    }
    note(() => this.#writeEnds())
  }

  /** Returns what records a failed job. Failures that are not the job's fault do not count as attempts. */
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
      'a job was abandoned after its last attempt: the log has its errors, and the next start of the server retries it',
    )
    return () => buryJob(store, job.id, message)
  }
}

/** Returns whether an error of SQLite, Git or the system means that nothing can be written now. */
const findsNoRoom = (error: unknown): boolean =>
  saysCannotWrite(error) ||
  ['no_space', 'ENOSPC', 'EDQUOT'].includes(String((error as { code?: unknown } | undefined)?.code))

/**
 * Milliseconds until there is a free slot, 0 if there is one; a job that ends earlier wakes the worker. Slow remote
 * hosts delay other jobs for a moment only, not for the duration of a fetch.
 */
function roomIn({ running, atOnce, youngAtOnce }: Places): number {
  if (running.size >= atOnce) return longestSleep
  const now = performance.now()
  const young = [...running.values()].filter(until => until > now)
  return young.length < youngAtOnce ? 0 : Math.min(...young) - now
}
