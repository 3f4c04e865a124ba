import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'

/** A server of repositories that a bench measures. */
export type GitHost = { url: string; pid: number; headers: Record<string, string> }

/** Runs `work` with `git http-backend` on the repositories of a folder, in a process of its own. */
export async function withBackend<Result>(
  folder: string,
  work: (host: GitHost) => Promise<Result>,
): Promise<Result> {
  const child: ChildProcess = fork(new URL('./git-host-child.ts', import.meta.url), [folder])
  const [port] = (await once(child, 'message')) as [number]
  try {
    return await work({ url: `http://127.0.0.1:${port}`, pid: child.pid as number, headers: {} })
  } finally {
    child.disconnect()
    await once(child, 'exit')
  }
}

/** Milliseconds in a unit of the processor times that Linux reports. */
const tickMs = 10

/**
 * Returns the milliseconds of processor time of a process, of its children, and of those of them
 * that have ended.
 */
export function processorMs({ pid }: Pick<GitHost, 'pid'>): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ')
    const own = fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) * tickMs
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
      .split(' ')
      .filter(Boolean)
    return children.reduce((sum, child) => sum + processorMs({ pid: Number(child) }), own)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    // It has just ended, and its parent counts it.
    return 0
  }
}

/** Waits until a server does nothing, so that jobs of earlier writes are not measured. */
export async function untilIdle(host: Pick<GitHost, 'pid'>): Promise<void> {
  for (let rest = 0; rest < 3; ) {
    const before = processorMs(host)
    await setTimeout(200)
    rest = processorMs(host) - before < 2 * tickMs ? rest + 1 : 0
  }
}
