/** The limit of a figure, or of its ratio to the reference. */
export type Target = { of: 'figure' | 'ratio'; is: 'at least' | 'at most' | 'under'; value: number }

/** A line of the report. */
export type Figure = {
  work: string
  value: number
  /** E.g. 'ms', 'requests/s', 'MB'. */
  unit: string
  reference?: { what: string; value: number }
  target?: Target
  note?: string
}

/** The number of rounds, and the seconds of each round of load. */
export type Pace = { rounds: number; seconds: number }

/** The figure divided by its reference, or undefined without one. */
export const ratioOf = ({ value, reference }: Figure): number | undefined =>
  reference && value / reference.value

/** Whether the target is met, or undefined without one. */
export function isMet(figure: Figure): boolean | undefined {
  if (!figure.target) return undefined
  const { of, is, value } = figure.target
  const held = of === 'figure' ? figure.value : ratioOf(figure)
  if (held === undefined) return undefined
  if (is === 'at least') return held >= value
  return is === 'at most' ? held <= value : held < value
}

/** The median of some numbers. */
export function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}

/** Runs a turn of `interleave`, and returns what it measured; `values` has the earlier turns of this work. */
export type RunTurn = (turn: () => Promise<number>, values: readonly number[]) => Promise<number>

let runTurn: RunTurn = turn => turn()

/** Sets what runs the turns of `interleave`, which may do other work between them. */
export function setRunTurn(run: RunTurn): void {
  runTurn = run
}

/**
 * Measures several things in turn, round by round, starting each round with another one, so that
 * noise affects all of them equally. Returns the median of each.
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
      const values = taken.get(name)!
      values.push(await runTurn(() => works[name](round), values))
    }
  }

  return Object.fromEntries(names.map(name => [name, median(taken.get(name)!)])) as Record<
    Name,
    number
  >
}

/**
 * Runs `work` several times, one after another. Returns the median of the milliseconds that it
 * reports.
 */
export async function typical(
  times: number,
  work: (time: number) => Promise<number>,
): Promise<number> {
  const taken: number[] = []
  for (let time = 0; time < times; time++) taken.push(await work(time))
  return median(taken)
}

/** Returns the milliseconds that `work` takes. */
export async function clocked(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now()
  await work()
  return performance.now() - started
}
