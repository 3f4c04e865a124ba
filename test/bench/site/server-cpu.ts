import { readdirSync, readFileSync } from 'node:fs'
import type { Stemma } from '../stemma.ts'

/** Returns the processor time of a server in milliseconds, that of all its threads. */
export function serverCpu({ pid }: Pick<Stemma, 'pid'>): number {
  const threads = readdirSync(`/proc/${pid}/task`)
  const taken = threads.map(id =>
    Number(readFileSync(`/proc/${pid}/task/${id}/schedstat`, 'utf8').split(' ')[0]),
  )
  return taken.reduce((sum, nanoseconds) => sum + nanoseconds, 0) / 1e6
}
