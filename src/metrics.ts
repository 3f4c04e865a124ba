import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { Context } from './context.ts'
import { countJobs } from './store/events/jobs.ts'
import { listStuckSpaces } from './store/git/intents.ts'

const registry = new Registry()
collectDefaultMetrics({ register: registry })

const requests = new Counter({
  name: 'stemma_http_requests_total',
  help: 'Requests answered.',
  labelNames: ['method', 'status'] as const,
  registers: [registry],
})
const durations = new Histogram({
  name: 'stemma_http_request_seconds',
  help: 'Time from a request to the end of its response.',
  labelNames: ['method'] as const,
  buckets: [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.5, 1, 5, 30],
  registers: [registry],
})
const refusals = new Counter({
  name: 'stemma_refused_total',
  help: 'Requests and connections refused by a limit, by limit.',
  labelNames: ['reason'] as const,
  registers: [registry],
})
const authFailures = new Counter({
  name: 'stemma_auth_failures_total',
  help: 'Requests answered with 401, by the problem with the token.',
  labelNames: ['reason'] as const,
  registers: [registry],
})
const ssoRefusals = new Counter({
  name: 'stemma_sso_refused_total',
  help: 'Sign-ins through identity providers that were refused, by reason.',
  labelNames: ['reason'] as const,
  registers: [registry],
})
const jobs = new Gauge({
  name: 'stemma_jobs',
  help: 'Jobs by state.',
  labelNames: ['state'] as const,
  registers: [registry],
})
const overdueJobs = new Counter({
  name: 'stemma_jobs_overdue_total',
  help: 'Jobs that ran for longer than expected, by kind.',
  labelNames: ['kind'] as const,
  registers: [registry],
})
const gitRepositories = new Gauge({
  name: 'stemma_git_repositories_open',
  help: 'Repositories with long-lived git processes.',
  registers: [registry],
})
const spacesReadOnly = new Gauge({
  name: 'stemma_spaces_read_only',
  help: 'Read-only spaces: a change could not be completed for half a minute.',
  registers: [registry],
})

const computations = new Gauge({
  name: 'stemma_computations',
  help: 'Computed answers, by kind of caller and state: running or waiting for a slot.',
  labelNames: ['caller', 'state'] as const,
  registers: [registry],
})
const transfers = new Counter({
  name: 'stemma_git_transfers_total',
  help: 'Git transfers over HTTP, by service and outcome.',
  labelNames: ['service', 'outcome'] as const,
  registers: [registry],
})
const transfersRunning = new Gauge({
  name: 'stemma_git_transfers_running',
  help: 'Git transfers over HTTP that are under way.',
  registers: [registry],
})
const transferBytes = new Counter({
  name: 'stemma_git_bytes_total',
  help: 'Bytes of Git transfers over HTTP, unpacked, by direction.',
  labelNames: ['direction'] as const,
  registers: [registry],
})
const spooled = new Counter({
  name: 'stemma_git_spool_total',
  help: 'Answers to fetches: newly made, or kept from an earlier fetch.',
  labelNames: ['result'] as const,
  registers: [registry],
})
const transferSeconds = new Histogram({
  name: 'stemma_git_seconds',
  help: 'Time of a Git transfer over HTTP, by service.',
  labelNames: ['service'] as const,
  buckets: [0.005, 0.01, 0.02, 0.05, 0.1, 0.5, 1, 5, 30, 120, 600],
  registers: [registry],
})

const databaseTrips = new Counter({
  name: 'stemma_database_trips_total',
  help: 'Answers of PostgreSQL that reads and transactions waited for.',
  registers: [],
})
const databaseBlocks = new Counter({
  name: 'stemma_database_blocks_total',
  help: 'Answers of PostgreSQL for which the program waited and did nothing else.',
  registers: [],
})
const databaseWaits = new Counter({
  name: 'stemma_database_wait_seconds_total',
  help: 'How long it did so.',
  registers: [],
})
const databaseLongest = new Gauge({
  name: 'stemma_database_wait_longest_seconds',
  help: 'The longest of these waits since the metrics were last read.',
  registers: [],
})
const databaseRepeats = new Counter({
  name: 'stemma_database_repeats_total',
  help: 'Transactions that ran again because of others, by the statement that failed.',
  labelNames: ['statement'] as const,
  registers: [],
})

const databaseLooks = new Counter({
  name: 'stemma_database_looks_total',
  help: 'Looks for what other nodes have written; one serves all requests that wait for it.',
  registers: [],
})
const databaseWaiting = new Gauge({
  name: 'stemma_database_look_waiting',
  help: 'Requests and jobs that wait for a look.',
  registers: [],
})
const databaseLookAge = new Gauge({
  name: 'stemma_database_look_age_seconds',
  help: 'Time since the last look was answered.',
  registers: [],
})
const databaseClock = new Gauge({
  name: 'stemma_database_clock_seconds',
  help: 'How far the clock of PostgreSQL is ahead of that of this machine.',
  registers: [],
})
const ofDatabase = [
  databaseTrips,
  databaseBlocks,
  databaseWaits,
  databaseLongest,
  databaseRepeats,
  databaseLooks,
  databaseWaiting,
  databaseLookAge,
  databaseClock,
]

/**
 * Returns a function that counts an answered request: method, status, milliseconds. It looks each
 * series up once, not for every request.
 */
export function observeRequests() {
  const counters = new Map<string, { inc: () => void }>()
  const timers = new Map<string, { observe: (seconds: number) => void }>()
  return (method: string, status: number, ms: number) => {
    const key = `${method} ${status}`
    const counter = counters.get(key) ?? requests.labels(method, String(status))
    counters.set(key, counter)
    const timer = timers.get(method) ?? durations.labels(method)
    timers.set(method, timer)
    counter.inc()
    timer.observe(ms / 1000)
  }
}

/** Counts a request or connection that a limit refused. */
export const countRefusal = (reason: string): void => refusals.inc({ reason })

/** Counts a request with a missing or unusable token. */
export const countAuthFailure = (reason: string): void => authFailures.inc({ reason })

/** Counts a sign-in through an identity provider that was refused. */
export const countSsoRefusal = (reason: string): void => ssoRefusals.inc({ reason })

/** Counts a job that runs for longer than expected. */
export const countOverdueJob = (kind: string): void => overdueJobs.inc({ kind })

/**
 * A transfer that ended: its milliseconds, its bytes, and where the answer to a fetch came from.
 */
type EndedTransfer = {
  service: 'fetch' | 'push'
  outcome: 'ok' | 'refused' | 'cut'
  ms: number
  received: number
  sent: number
  spool: 'kept' | 'made' | undefined
}

/** Counts a Git transfer over HTTP that ended. */
export function countTransfer({
  service,
  outcome,
  ms,
  received,
  sent,
  spool,
}: EndedTransfer): void {
  transfers.inc({ service, outcome })
  transferSeconds.observe({ service }, ms / 1000)
  transferBytes.inc({ direction: 'in' }, received)
  transferBytes.inc({ direction: 'out' }, sent)
  if (spool) spooled.inc({ result: spool })
}

/** Sets the number of Git transfers over HTTP that are under way. */
export const setRunningTransfers = (count: number): void => transfersRunning.set(count)

/** Sets what a database on another machine has cost, where there is one. */
function setFigures({ figures, gate }: Context['store']): void {
  if (!figures || !gate) return
  if (!registry.getSingleMetric('stemma_database_trips_total'))
    for (const metric of ofDatabase) registry.registerMetric(metric)
  databaseLooks.reset()
  databaseLooks.inc(gate.looks)
  databaseWaiting.set(gate.waiting)
  databaseLookAge.set(gate.ageMs / 1000)
  databaseClock.set(gate.clockLeadMs / 1000)
  databaseTrips.reset()
  databaseTrips.inc(figures.trips)
  databaseBlocks.reset()
  databaseBlocks.inc(figures.blocks)
  databaseWaits.reset()
  databaseWaits.inc(figures.waitedMs / 1000)
  databaseLongest.set(figures.takeLongestMs() / 1000)
  databaseRepeats.reset()
  for (const [statement, count] of figures.repeats) databaseRepeats.inc({ statement }, count)
}

function setRows({ store, now }: Context): void {
  jobs.reset()
  for (const { state, count } of countJobs(store)) jobs.set({ state }, count)
  spacesReadOnly.set(listStuckSpaces(store, now()).length)
}

/**
 * Returns the metrics of this process in the Prometheus text format. `loads` are the computed
 * answers by kind of caller.
 */
export async function metricsText(
  ctx: Context,
  loads: Readonly<Record<string, { held: number; waiting: number }>>,
): Promise<string> {
  // What the database does not tell keeps its last value.
  if (!ctx.store.gate?.hasFailed) setRows(ctx)

  for (const [caller, { held, waiting }] of Object.entries(loads)) {
    computations.set({ caller, state: 'running' }, held)
    computations.set({ caller, state: 'waiting' }, waiting)
  }

  setFigures(ctx.store)
  gitRepositories.set(ctx.processes.size)

  return registry.metrics()
}

export const metricsType = registry.contentType
