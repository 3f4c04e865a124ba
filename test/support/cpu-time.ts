import { readFileSync } from 'node:fs'

/**
 * How many milliseconds of processor time this process has used: says how much work was done, also where other processes
 * take turns on the same processor.
 */
export const cpuTime = (): number => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

/** How many milliseconds of processor time processes that this one started, and theirs, had used when they ended. */
export const cpuTimeOfChildren = (): number => {
  // The fields behind the name of the program, which may hold anything: the state is the third of all.
  const fields = readFileSync('/proc/self/stat', 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ')
  const ticks = Number(fields[13]) + Number(fields[14])
  return ticks * 10
}
