/**
 * How many milliseconds of processor time this process has used: says how much work was done, also where other processes
 * take turns on the same processor.
 */
export const cpuTime = (): number => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}
