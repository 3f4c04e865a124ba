/** What a figure must be, itself or against its reference. */
export type Target = { of: 'figure' | 'ratio'; is: 'at least' | 'at most' | 'under'; value: number }

/** One line of the report. */
export type Figure = {
  work: string
  value: number
  /** E.g. 'ms', 'requests/s', 'MB'. */
  unit: string
  reference?: { what: string; value: number }
  target?: Target
  note?: string
}

/** How the rounds of this run are: their number, and the seconds of one round of load. */
export type Pace = { rounds: number; seconds: number }

/** The figure divided by its reference; undefined without one. */
export const ratioOf = ({ value, reference }: Figure): number | undefined =>
  reference && value / reference.value

/** Whether the target is met; undefined where there is none. */
export function isMet(figure: Figure): boolean | undefined {
  if (!figure.target) return undefined
  const { of, is, value } = figure.target
  const held = of === 'figure' ? figure.value : ratioOf(figure)
  if (held === undefined) return undefined
  if (is === 'at least') return held >= value
  return is === 'at most' ? held <= value : held < value
}

/** The middle of some numbers. */
export function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}

/**
 * Measures several things in turn, round by round, each round beginning with another of them, so that noise hits all;
 * gives the median of each.
 */
export async function interleave<Name extends string>(
  rounds: number,
  works: Record<Name, (round: number) => Promise<number>>,
): Promise<Record<Name, number>> {
  const names = Object.keys(works) as Name[]
  const taken = new Map<Name, number[]>(names.map(name => [name, []]))
  for (let round = 0; round < rounds; round++) {
    for (let turn = 0; turn < names.length; turn++) {
      const name = names[(turn + round) % names.length]!
      taken.get(name)!.push(await works[name](round))
    }
  }
  return Object.fromEntries(names.map(name => [name, median(taken.get(name)!)])) as Record<Name, number>
}

/** Does something several times, one after the other; gives the median of the milliseconds that each says it took. */
export async function typical(times: number, work: (time: number) => Promise<number>): Promise<number> {
  const taken: number[] = []
  for (let time = 0; time < times; time++) taken.push(await work(time))
  return median(taken)
}

/** The milliseconds until something is done. */
export async function clocked(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now()
  await work()
  return performance.now() - started
}
