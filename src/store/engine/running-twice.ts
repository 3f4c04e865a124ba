import { beforeRuns, type Driver } from './driver.ts'

const rolledBack = new Error('The first run is rolled back.')

/**
 * Returns a driver that runs every transaction twice if STEMMA_TEST_RUN_TWICE=1: a test then shows
 * that a transaction may run again, as it must with an engine that repeats one.
 */
export const twiceIfTested = (driver: Driver): Driver =>
  process.env.STEMMA_TEST_RUN_TWICE === '1' ? runningTwice(driver) : driver

/** The statements of the run of work that goes on now; outside of one, they are not recorded. */
type Recorder = { sent: string[] | undefined }

/**
 * Returns work that records the statements of its last run: a driver may run it only to learn what it
 * reads.
 */
function recording<Result>(recorder: Recorder, once: () => Result) {
  const run = {
    sent: [] as string[],
    work(): Result {
      run.sent = []
      recorder.sent = run.sent
      try {
        return once()
      } finally {
        recorder.sent = undefined
      }
    },
  }
  return run
}

/**
 * Wraps a driver so that it rolls back the first run of each transaction and keeps the second. Throws
 * if the second run sends other statements: then the first one has changed something that is not a
 * row.
 */
function runningTwice(driver: Driver): Driver {
  const recorder: Recorder = { sent: undefined }
  /**
   * Runs work twice, the first time without a trace: `undone` runs work that throws, and undoes it.
   * Throws if the runs differ.
   */
  const runBoth = <Result>(
    once: () => Result,
    undone: (work: () => never) => void,
    kept: (work: () => Result) => Result,
  ): Result => {
    const run = recording(recorder, once)
    const failure = runAndUndo(undone, run.work)
    const first = run.sent
    run.sent = []
    try {
      return kept(run.work)
    } finally {
      check(first, run.sent, failure)
    }
  }

  const { transactBeside } = driver
  const own: Pick<Driver, 'prepare' | 'transact' | 'transactBeside'> = {
    prepare: sql => beforeRuns(driver.prepare(sql), () => recorder.sent?.push(sql)),
    transact: (once, isDerived) =>
      runBoth(
        once,
        work => driver.transact(work),
        work => driver.transact(work, isDerived),
      ),
    // Both runs are in one transaction: between two of them, others would change what they read.
    ...(transactBeside && {
      transactBeside: once =>
        transactBeside(() =>
          runBoth(
            once,
            work => driver.savepoint(work),
            work => work(),
          ),
        ),
    }),
  }

  return Object.assign(Object.create(driver) as Driver, own)
}

/** Runs `work`, which `undone` undoes when it throws. Returns what it threw. */
function runAndUndo(undone: (work: () => never) => void, work: () => unknown): unknown {
  try {
    undone(() => {
      work()
      throw rolledBack
    })
  } catch (error) {
    return error === rolledBack ? undefined : error
  }
}

function check(first: readonly string[], second: readonly string[], failure: unknown): void {
  const at = first.findIndex((sql, i) => sql !== second[i])
  if (at < 0 && first.length === second.length) return
  const from = at < 0 ? first.length : at
  const message = `The second run of a transaction differs at statement ${from + 1} of ${first.length}: first ${first[from] ?? 'nothing'}, then ${second[from] ?? 'nothing'}.`
  throw new Error(message, { cause: failure })
}
