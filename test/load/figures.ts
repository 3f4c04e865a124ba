export type Figures = { count: number; perSecond: number; p50: number; p99: number }

/** Computes the count, the rate per second and the latency percentiles in milliseconds. */
export function figures(took: readonly number[], seconds: number): Figures {
  const sorted = took.toSorted((a, b) => a - b)
  const at = (part: number) =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0
  return { count: sorted.length, perSecond: sorted.length / seconds, p50: at(0.5), p99: at(0.99) }
}

export function printFigures(name: string, { count, perSecond, p50, p99 }: Figures): void {
  console.log(
    `${name}: ${count}, ${perSecond.toFixed(0)} a second, p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`,
  )
}
