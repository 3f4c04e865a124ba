/**
 * Runs work while the monotonic clock of this process stands still, so that no rate limit refills
 * however slow the machine is.
 */
export async function withStoppedClock<Result>(work: () => Promise<Result>): Promise<Result> {
  const { now } = performance
  const start = now.call(performance)
  performance.now = () => start

  try {
    return await work()
  } finally {
    performance.now = now
  }
}
