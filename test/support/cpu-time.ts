import { readFileSync } from 'node:fs'

/**
 * Returns the processor time of this process in milliseconds. Unlike wall-clock time, it measures the work done even
 * while other processes use the same processor.
 */
export function cpuTime(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

/** Returns the processor time in milliseconds of this process's ended children and their descendants. */
export function cpuTimeOfChildren(): number {
  // Skips the program name, which may contain anything: what follows it starts with the third field.
  const fields = readFileSync('/proc/self/stat', 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ')
  const ticks = Number(fields[13]) + Number(fields[14])
  return ticks * 10
}
