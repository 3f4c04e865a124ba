import { existsSync, readdirSync, readFileSync } from 'node:fs'

/** Kills a process; does nothing if it has already exited. */
export const killOne = (pid: number): void => signalOne(pid, 'SIGKILL')

/** Kills a process and all its descendants. */
export function killAll(root: number): void {
  for (const pid of [root, ...descendantsOf(root)]) killOne(pid)
}

function signalOne(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // The process has already exited.
  }
}

/** Stops a process and its descendants, until a listing shows no new ones and all are stopped. */
export async function freezeAll(root: number): Promise<void> {
  const stopped = new Set<number>()
  for (let allStood = false; ; ) {
    const all = [root, ...descendantsOf(root)]
    const more = all.filter(pid => !stopped.has(pid))
    if (allStood && more.length === 0) return

    for (const pid of more) {
      signalOne(pid, 'SIGSTOP')
      stopped.add(pid)
    }

    allStood = all.every(isStanding)
    if (!allStood) await new Promise(resolve => setTimeout(resolve, 1))
  }
}

/** Continues a stopped process and all its descendants. */
export function continueAll(root: number): void {
  for (const pid of [root, ...descendantsOf(root)]) signalOne(pid, 'SIGCONT')
}

/**
 * Whether every thread of a process is stopped or has exited. A thread that waits for the disk is
 * not stopped yet.
 */
function isStanding(pid: number): boolean {
  try {
    return readdirSync(`/proc/${pid}/task`).every(thread => {
      const stat = readFileSync(`/proc/${pid}/task/${thread}/stat`, 'utf8')
      return 'TZX'.includes(stat[stat.lastIndexOf(')') + 2]!)
    })
  } catch {
    return !existsSync(`/proc/${pid}`)
  }
}

/**
 * The descendants of a process according to /proc. Git's children have process groups of their own.
 */
function descendantsOf(root: number): number[] {
  const parents = new Map<number, number>()
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8')
      parents.set(Number(name), Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]))
    } catch {
      // The process exited meanwhile.
    }
  }

  const found = [root]
  for (const pid of found)
    for (const [child, parent] of parents) if (parent === pid) found.push(child)

  return found.slice(1)
}
