import { readFileSync } from 'node:fs'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import * as assert from 'uvu/assert'

/**
 * Returns the processor time of this process in milliseconds. Unlike wall-clock time, it measures
 * the work done even while other processes use the same processor.
 */
export function cpuTime(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

/** Collects all garbage of this process now, so that no later measurement includes it. */
export function collectGarbage(): void {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc')
  collect()
}

/**
 * Runs work three times, short work up to ten times, and returns the least processor time of a run
 * in milliseconds. A run that takes at most `enough` is the last. What else the process does, such
 * as collecting garbage, slows a run down, but seldom all of them.
 */
export function leastCpuTime(work: () => unknown, enough = 0): number {
  let [least, total] = [Number.POSITIVE_INFINITY, 0]
  for (let run = 0; (run < 3 || (run < 10 && total < 200)) && least > enough; run++) {
    const before = cpuTime()
    work()
    const time = cpuTime() - before
    least = Math.min(least, time)
    total += time
  }

  return least
}

/**
 * What four inputs of a quarter of a size cost together, what one input of the size costs, and the
 * most that it may cost, in milliseconds of processor time.
 */
export type Costs = { quarters: number; whole: number; most: number }

/** Costs below this many milliseconds are noise. */
const noise = 25
/**
 * The most that an input may cost, as a multiple of its four quarters. A cost in proportion to the
 * size gives 1, a cost that grows with the square of the size 4.
 */
const mostRatio = 2

/**
 * Measures work on an input, and on four inputs of a quarter of its size, whose results are kept
 * together: the garbage collector moves as much as for one large result. An input that costs too
 * much is measured again, more often: what else the process does slows some runs down, seldom all
 * of them. `mostMs` is a limit beside the ratio.
 */
export async function compareQuarters<Input>(
  size: number,
  make: (size: number) => Input,
  work: (input: Input) => unknown,
  mostMs = Number.POSITIVE_INFINITY,
): Promise<Costs> {
  const [quarter, whole] = [make(size / 4), make(size)]
  const workOnQuarters = async () => [
    await work(quarter),
    await work(quarter),
    await work(quarter),
    await work(quarter),
  ]
  let costs: Costs | undefined

  await work(quarter) // compiles what it calls
  for (let attempt = 0; attempt < 4 && !(costs && costs.whole <= costs.most); attempt++) {
    const runs = attempt === 0 ? 1 : 3
    if (attempt > 0) collectGarbage()
    const quarters = await leastCost(workOnQuarters, runs, 1)
    const most = Math.min(mostMs, Math.max(noise, mostRatio * quarters))
    costs = { quarters, whole: await leastCost(() => work(whole), runs, most), most }
  }

  return costs as Costs
}

/**
 * Returns the least processor time of this many runs in milliseconds. A run that takes at most
 * `enough` is the last.
 */
async function leastCost(work: () => unknown, runs: number, enough: number): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let run = 0; run < runs && least > enough; run++) {
    const before = cpuTime()
    await work()
    least = Math.min(least, cpuTime() - before)
  }

  return least
}

/** Asserts that work on inputs of this size takes time in proportion to their size. */
export async function assertLinear<Input>(
  size: number,
  make: (size: number) => Input,
  work: (input: Input) => unknown,
  name = '',
): Promise<void> {
  const { quarters, whole, most } = await compareQuarters(size, make, work)
  assert.ok(whole <= most, `${name} four quarters take ${quarters} ms, the whole ${whole} ms`)
}

/**
 * Returns the processor time in milliseconds of this process's children and of their descendants
 * that have ended, such as the programs that the launcher starts.
 */
export function cpuTimeOfChildren(): number {
  const children = textOf(`/proc/self/task/${process.pid}/children`).split(' ').filter(Boolean)
  const ended = ticksOf('self').slice(2)
  return 10 * sum([...ended, ...children.flatMap(ticksOf)])
}

/**
 * Returns the processor time of a process, in user and kernel mode, and that of its ended children,
 * in ticks of 10 ms.
 */
function ticksOf(pid: string): number[] {
  // Skips the program name, which may contain anything: what follows it starts with the third
  // field.
  const fields = textOf(`/proc/${pid}/stat`)
    .replace(/^.*\) /s, '')
    .split(' ')
  return [11, 12, 13, 14].map(at => Number(fields[at] ?? 0))
}

/** Returns the text of a file of /proc; '' if the process has ended. */
function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

const sum = (ticks: readonly number[]): number => ticks.reduce((all, each) => all + each, 0)
