import { readFileSync } from 'node:fs'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

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
