import { readdirSync, readFileSync } from 'node:fs'
import { type Line, must, type Seen } from './line.ts'
import type { Stage } from './stage.ts'

/**
 * The fields of /proc/<pid>/stat behind the name of the program; undefined once the process has
 * ended.
 */
function statOf(pid: string): string[] | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  } catch {
    return undefined
  }
}

/**
 * Returns the milliseconds of CPU that a server has used, with its git processes, which its
 * launcher starts.
 */
function cpuMs({ pid }: Stage): number {
  let ticks = 0
  for (const name of readdirSync('/proc')) {
    const stat = /^\d+$/.test(name) ? statOf(name) : undefined
    if (!stat || (name !== String(pid) && stat[1] !== String(pid))) continue
    for (const field of stat.slice(11, 15)) ticks += Number(field)
  }
  return ticks * 10
}

/** Returns what some work costs a server, in milliseconds of CPU. */
export async function costOf(stage: Stage, work: () => Promise<unknown>): Promise<number> {
  const before = cpuMs(stage)
  await work()
  return cpuMs(stage) - before
}

/**
 * Sends something that may cost so many milliseconds of CPU: the time that passes depends on what
 * else runs.
 */
export const costing =
  (mostMs: number, send: Line['send']): Line['send'] =>
  async stage => {
    let seen: Seen | undefined
    const used = await costOf(stage, async () => {
      seen = await send(stage)
    })
    must(used <= mostMs, `${used} ms of CPU`)
    return seen as Seen
  }

/** Returns the processes of git with this argument that work in a data folder. */
export const processesOf = ({ dataDir }: Stage, command: RegExp): string[] =>
  readdirSync('/proc').filter(name => {
    if (!/^\d+$/.test(name)) return false
    try {
      const line = readFileSync(`/proc/${name}/cmdline`, 'utf8')
      return line.includes(dataDir) && command.test(line)
    } catch {
      return false
    }
  })

/** Returns the most megabytes of memory that a process has held; 0 once it has ended. */
export function memoryOf(pid: string): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024
  } catch {
    return 0
  }
}
