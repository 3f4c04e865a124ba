import type { Context } from './context.ts'
import { jobs } from './jobs/all.ts'
import type { JobRun } from './jobs/run.ts'
import { randomId } from './lib/digest.ts'
import type { JobKind } from './queue/kinds.ts'
import { buryJob, claimJob, finishJob, nextJobTime, postponeJob, releaseJobs } from './store/jobs.ts'
import { note } from './store/note.ts'
import type { JobRow } from './store/rows.ts'

/** Jobs that run at once, and how many of them may be young: one that takes long most likely waits for a remote host. */
const atOnce = 6
const youngAtOnce = 2
const youngMs = 3_000
const mostAttempts = 5
const longestSleep = 60_000
/** When to look again after it went wrong. */
const retryMs = 1_000

/** Claims jobs that are due and runs them, until stopped. */
export class Worker {
  readonly #ctx: () => Context
  readonly #owner = randomId()
  /** Each job that runs, with when it is young no more. */
  readonly #running = new Map<Promise<void>, number>()
  readonly #stopping = new AbortController()
  #timer: NodeJS.Timeout | undefined

  constructor(ctx: () => Context) {
    this.#ctx = ctx
  }

  /** Takes up what an earlier server left running, and begins. */
  start(): void {
    releaseJobs(this.#ctx().store, this.#ctx().now())
    this.wake()
  }

  /** Looks for due jobs now. Never throws: where nothing can be written now, it looks again a little later. */
  wake(): void {
    if (this.#stopping.signal.aborted) return
    clearTimeout(this.#timer)
    let sleep = retryMs
    try {
      sleep = this.#startDue()
    } catch (error) {
      this.#ctx().log.error({ err: String(error) }, 'jobs cannot be claimed now')
    }
    this.#timer = setTimeout(() => this.wake(), sleep).unref()
  }

  /** Starts what is due and finds room; gives how many milliseconds there is nothing to do then. */
  #startDue(): number {
    const { store, now } = this.#ctx()
    while (this.#room() === 0) {
      const job = claimJob(store, this.#owner, now().getTime())
      if (!job) break
      const run = this.#run(job).finally(() => {
        this.#running.delete(run)
        this.wake()
      })
      this.#running.set(run, performance.now() + youngMs)
    }
    const next = nextJobTime(store)
    const sleep = next === undefined ? longestSleep : Math.max(50, next - now().getTime())
    return Math.min(longestSleep, Math.max(sleep, this.#room()))
  }

  /**
   * Milliseconds until there is room for another job, 0 where there is; what ends earlier wakes us. Slow remote hosts
   * hold up others for a moment, not for as long as a fetch may take.
   */
  #room(): number {
    if (this.#running.size >= atOnce) return longestSleep
    const now = performance.now()
    const young = [...this.#running.values()].filter(until => until > now)
    return young.length < youngAtOnce ? 0 : Math.min(...young) - now
  }

  /** Asks running jobs to stop and waits for them; what is not done waits for the next server. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    clearTimeout(this.#timer)
    await Promise.allSettled(this.#running.keys())
  }

  async #run(job: JobRow): Promise<void> {
    const ctx = this.#ctx()
    const run = jobs[job.kind as JobKind] as JobRun<never> | undefined
    const started = performance.now()
    try {
      if (!run) throw new Error(`There is no job of the kind "${job.kind}".`)
      const about = { signal: this.#stopping.signal, attempt: job.attempts }
      await run(ctx, JSON.parse(job.payload) as never, about)
      finishJob(ctx.store, job.id)
      ctx.log.info({ job: job.kind, id: job.id, ms: Math.round(performance.now() - started) }, 'job done')
    } catch (error) {
      if (this.#stopping.signal.aborted) return
      const message = error instanceof Error ? error.message : String(error)
      ctx.log.error({ job: job.kind, id: job.id, attempts: job.attempts, err: message }, 'job failed')
      // A row that cannot be written now leaves the job to the next server.
      note(() => {
        if (job.attempts >= mostAttempts) buryJob(ctx.store, job.id, message)
        else postponeJob(ctx.store, job.id, ctx.now().getTime() + 1000 * 4 ** job.attempts, message)
      })
    }
  }
}
