import { readFileSync } from 'node:fs'
import type { Stemma } from './stemma.ts'

/** Memory in MB: of the process itself now and at its peak, and of its child processes. */
export type Resident = { own: number; peak: number; children: number }

/** The current memory of a server and its processes. */
export function residentOf({ pid }: Stemma): Resident {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    .split(' ')
    .filter(Boolean)
  return {
    own: megabytes(pid, 'VmRSS'),
    peak: megabytes(pid, 'VmHWM'),
    children: children.reduce((sum, child) => sum + megabytes(child, 'VmRSS'), 0),
  }
}

function megabytes(pid: number | string, name: string): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? 0) / 1024
}
