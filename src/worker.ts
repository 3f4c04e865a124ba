import type { Context } from './context.ts'
import { jobs } from './jobs/all.ts'
import type { JobRun } from './jobs/run.ts'
import { type JumpWatch, machineClock } from './lib/clock.ts'
import { randomId } from './lib/digest.ts'
import { countOverdueJob } from './metrics.ts'
import { onEnqueue } from './queue/enqueue.ts'
import type { JobKind } from './queue/kinds.ts'
import {
  buryJob,
  type Claimant,
  claimJob,
  finishJob,
  holdsJob,
  type JobSelection,
  leaseMs,
  mostStarts,
  nextJobDelays,
  nextJobDelaysBeside,
  postponeJob,
  releaseJobs,
  renewLeases,
  reviveJobs,
} from './store/events/jobs.ts'
import { note, saysCannotWrite } from './store/note.ts'
import type { Store } from './store/store.ts'
import type { JobRow } from './store/tables/rows.ts'

/** Slots for jobs of some kinds. */
type Places = {
  selection: JobSelection
  /** The number of jobs that may run at once. */
  atOnce: number
  /**
   * The number of them that may be young: a job that has run for long most likely waits for a
   * remote host.
   */
  youngAtOnce: number
  running: Map<Promise<void>, Run>
}

/** A running job, and when it started: a time of the monotonic clock. */
type Run = { job: JobRow; started: number; isOverdue: boolean }

/** What records the outcome of a job. It returns 0 if the worker no longer owns the job. */
type End = { job: JobRow; write: () => number }

const deliveries: readonly JobKind[] = ['deliver-webhook']
const remote: readonly JobKind[] = ['git-sync', 'process-openapi']
const converting: readonly JobKind[] = ['import-files']

/**
 * Jobs that wait for other hosts have their own slots, so that local work never waits for a host. A
 * user or an organization may take only some of these slots.
 */
const newPlaces = (): Places[] => [
  {
    selection: { kinds: { except: [...remote, ...deliveries, ...converting] } },
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
  // Each holds the files of a zip in memory.
  {
    selection: { kinds: { only: converting }, perUser: 1 },
    atOnce: 2,
    youngAtOnce: 2,
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
/** How often leases are renewed: a lease outlasts two failures. */
const renewMs = 5_000
const minute = 60_000
/**
 * The time after which a running job is reported, by kind: a webhook's receiver has seconds to
 * answer.
 */
const overdueMs: Partial<Record<string, number>> & { other: number } = {
  'deliver-webhook': 5 * minute,
  other: 30 * minute,
}

/** Claims due jobs and runs them until stopped. */
export class Worker {
  readonly #ctx: () => Context
  readonly #owner = randomId()
  readonly #places = newPlaces()
  readonly #stopping = new AbortController()
  readonly #clock: JumpWatch
  /** The outcomes of jobs that could not be recorded yet, as when the disk is full. */
  readonly #ends: End[] = []
  #timer: NodeJS.Timeout | undefined
  #renewing: NodeJS.Timeout | undefined
  #waking: NodeJS.Immediate | undefined
  /** Whether the queue is being asked beside other work, and was woken meanwhile. */
  #isLooking = false
  #isWoken = false
  /** When the queue could last not be read or written: a time of the monotonic clock. */
  #failedAt = Number.NEGATIVE_INFINITY

  constructor(ctx: () => Context, clock: JumpWatch = machineClock) {
    this.#ctx = ctx
    this.#clock = clock
  }

  /**
   * Starts claiming. Where the rows are in the data folder, whose lock the caller holds, releases the
   * jobs that an earlier server left running; those of other nodes end with their leases.
   */
  start(): void {
    const { store, now, config } = this.#ctx()
    if (config.database) reviveJobs(store, now())
    else releaseJobs(store, this.#owner, now())
    this.#renewAfter(renewMs)
    onEnqueue(store, () => this.#wakeSoon())
    this.wake()
  }

  /** Renews leases again and again, sooner after a failure. */
  #renewAfter(ms: number): void {
    this.#renewing = setTimeout(
      () => this.#renewAfter(this.checkRuns() ? renewMs : retryMs),
      ms,
    ).unref()
  }

  /** Wakes after the current work and pending requests, once for any number of calls. */
  #wakeSoon(): void {
    this.#waking ??= setImmediate(() => this.wake())
  }

  /**
   * Claims and starts due jobs now; where the queue is on another machine, once it has told what is
   * due. Never throws: if nothing can be written, it retries after `retryMs`.
   */
  wake(): void {
    this.#waking = undefined
    if (this.#stopping.signal.aborted) return
    if (this.#ctx().store.isShared) return void this.#wakeBeside()
    let sleep = retryMs
    try {
      this.#writeEnds()
      do sleep = this.#startOf(nextJobDelays(...this.#queue()))
      while (sleep <= 0)
    } catch (error) {
      this.#reportFailure(error)
    }
    this.#sleep(sleep)
  }

  async #wakeBeside(): Promise<void> {
    // What it sees may be older than what it is woken for.
    this.#isWoken = this.#isLooking
    if (this.#isLooking) return
    this.#isLooking = true
    let sleep = retryMs
    try {
      this.#writeEnds()
      do sleep = this.#startOf(await nextJobDelaysBeside(...this.#queue()))
      while (sleep <= 0 && !this.#stopping.signal.aborted)
    } catch (error) {
      this.#reportFailure(error)
    }
    this.#isLooking = false
    if (this.#isWoken) this.#wakeSoon()
    else this.#sleep(sleep)
  }

  #sleep(ms: number): void {
    clearTimeout(this.#timer)
    if (!this.#stopping.signal.aborted) this.#timer = setTimeout(() => this.wake(), ms).unref()
  }

  #reportFailure(error: unknown): void {
    this.#failedAt = performance.now()
    if (this.#stopping.signal.aborted) return
    this.#ctx().log.error({ err: String(error) }, 'jobs cannot be claimed now')
  }

  #queue(): [Store, Claimant, JobSelection[]] {
    return [this.#ctx().store, this.#claimant(), this.#places.map(({ selection }) => selection)]
  }

  /**
   * Starts the jobs that are due while there are free slots, one of each selection. Returns the
   * milliseconds until there may be more to do; 0 if a job was started.
   */
  #startOf(delays: readonly (number | undefined)[]): number {
    if (this.#stopping.signal.aborted) return longestSleep
    const sleeps = this.#places.map((places, at) => {
      const sleep = Math.min(longestSleep, delays[at] ?? longestSleep)
      const room = roomIn(places)
      if (sleep > 0 || room > 0) return Math.max(sleep, room)
      return this.#startNext(places) ? 0 : leastSleep
    })
    // The delays tell nothing of jobs that the worker may not take over yet.
    const untilTakeover = this.#untilTakeover()
    return Math.min(...sleeps, untilTakeover > 0 ? untilTakeover : longestSleep)
  }

  /** Claims a job and runs it. Returns whether there was one. */
  #startNext({ selection, running }: Places): boolean {
    const job = claimJob(this.#ctx().store, this.#claimant(), selection)
    if (!job) return false
    const started = performance.now()
    const run = this.#run(job).finally(() => {
      running.delete(run)
      this.#wakeSoon()
    })
    running.set(run, { job, started, isOverdue: false })
    return true
  }

  #claimant(): Claimant {
    const runs = [...this.#runs().map(({ job }) => job.id), ...this.#ends.map(({ job }) => job.id)]
    const takesOver = this.#untilTakeover() <= 0
    return { owner: this.#owner, now: this.#ctx().now().getTime(), runs, takesOver }
  }

  /**
   * Returns the milliseconds until the worker may take over jobs, at most 0 if it may. After a jump of
   * the clock by which leases are judged, or a failure of the database that has it, every owner that is
   * alive first renews its leases.
   */
  #untilTakeover(): number {
    const isShared = this.#ctx().config.database !== undefined
    const sinceMs = isShared ? performance.now() - this.#failedAt : this.#clock.sinceJump()
    return leaseMs - sinceMs
  }

  #runs(): Run[] {
    return this.#places.flatMap(({ running }) => [...running.values()])
  }

  /**
   * Renews the leases of running jobs, and reports each job once that runs for longer than
   * expected. Returns false if leases could not be renewed. Never throws.
   */
  checkRuns(): boolean {
    const runs = this.#runs()
    if (runs.length === 0 && this.#ends.length === 0) return true
    const { store, now, log } = this.#ctx()
    for (const run of runs) this.#reportOverdue(run)

    try {
      renewLeases(store, this.#owner, now().getTime())
      return true
    } catch (error) {
      this.#failedAt = performance.now()
      log.error({ err: String(error) }, 'the leases of running jobs cannot be renewed now')
      return false
    }
  }

  #reportOverdue(run: Run): void {
    const { kind, id } = run.job
    const ms = performance.now() - run.started
    if (run.isOverdue || ms < (overdueMs[kind] ?? overdueMs.other)) return
    run.isOverdue = true
    countOverdueJob(kind)
    const about = { job: kind, id, minutes: Math.floor(ms / minute) }
    this.#ctx().log.warn(about, 'a job runs for longer than expected; it is not interrupted')
  }

  /** Asks running jobs to stop and waits for them; unfinished jobs are left to the next server. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    clearTimeout(this.#timer)
    clearImmediate(this.#waking)
    await Promise.allSettled(this.#places.flatMap(({ running }) => [...running.keys()]))
    clearTimeout(this.#renewing)
    // Outcomes that cannot be recorded now are left to the next server.
    note(() => this.#writeEnds())
  }

  /**
   * Records the outcomes of ended jobs. Throws if nothing can be written; the rest is kept for the
   * next call.
   */
  #writeEnds(): void {
    for (let end = this.#ends[0]; end; end = this.#ends[0]) {
      const { log } = this.#ctx()
      try {
        const { kind, id } = end.job
        if (end.write() === 0)
          log.warn(
            { job: kind, id },
            'a job ended after another worker took it over: its result is ignored',
          )
      } catch (error) {
        if (saysCannotWrite(error)) throw error
        log.error({ err: String(error) }, 'the end of a job cannot be written')
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

      await ctx.store.gate?.pass()
      const about = {
        signal: this.#stopping.signal,
        attempt: job.attempts,
        checkLease: () => checkLease(ctx.store, job),
      }
      await run(ctx, job.payload as never, about)
      this.#ends.push({ job, write: () => finishJob(ctx.store, job) })
      ctx.log.info(
        { job: job.kind, id: job.id, ms: Math.round(performance.now() - started) },
        'job done',
      )
    } catch (error) {
      this.#ends.push({ job, write: this.#endAfter(job, error) })
    }

    note(() => this.#writeEnds())
  }

  /**
   * Returns what records a failed job. Failures that are not the job's fault do not count as
   * attempts.
   */
  #endAfter(job: JobRow, error: unknown): () => number {
    const { store, log, now } = this.#ctx()
    const message = error instanceof Error ? error.message : String(error)
    const again = { now: now().getTime(), error: message }
    if (this.#stopping.signal.aborted)
      return () => postponeJob(store, job, { ...again, uncounted: true })

    const about = { job: job.kind, id: job.id, attempts: job.attempts, err: message }

    // Recording the outcome warns of it.
    if (error instanceof LostLease) return () => 0
    log.error(about, 'job failed')
    if (findsNoRoom(error))
      return () => postponeJob(store, job, { ...again, delay: noRoomMs, uncounted: true })

    if (job.attempts < mostAttempts) {
      const delay = 1000 * 4 ** job.attempts
      return () => postponeJob(store, job, { ...again, delay })
    }

    log.error(
      about,
      'a job was abandoned after its last attempt: the log has its errors, and the next start of the server retries it',
    )

    return () => buryJob(store, job, message)
  }
}

/** Another worker runs the job. */
class LostLease extends Error {}

function checkLease(store: Store, job: JobRow): void {
  if (!holdsJob(store, job)) throw new LostLease('Another worker has taken the job over.')
}

/** Returns whether an error of SQLite, Git or the system means that nothing can be written now. */
const findsNoRoom = (error: unknown): boolean =>
  saysCannotWrite(error) ||
  ['no_space', 'ENOSPC', 'EDQUOT'].includes(String((error as { code?: unknown } | undefined)?.code))

/**
 * Milliseconds until there is a free slot, 0 if there is one; a job that ends earlier wakes the
 * worker. Slow remote hosts delay other jobs for a moment only, not for the duration of a fetch.
 */
function roomIn({ running, atOnce, youngAtOnce }: Places): number {
  if (running.size >= atOnce) return longestSleep
  const now = performance.now()
  const young = [...running.values()]
    .map(({ started }) => started + youngMs)
    .filter(until => until > now)
  return young.length < youngAtOnce ? 0 : Math.min(...young) - now
}
