import { type ChildProcess, spawn } from 'node:child_process'
import { freezeAll, killAll } from '../crash/processes.ts'
import type { Program } from '../crash/program.ts'

/** `stemma gc` running beside a server. */
export type Gc = {
  /** Stops it without ending it. */
  freeze: () => Promise<void>
  /** Kills it. Resolves when it has exited. */
  kill: () => Promise<void>
  /** Whether it has finished. */
  ended: () => boolean
}

const running = new Set<ChildProcess>()
process.once('exit', () => {
  for (const { pid } of running) if (pid) killAll(pid)
})

/** Packs every repository; with `full`, each into a single pack. */
export function startGc({ main }: Program, env: Record<string, string>, full: boolean): Gc {
  const child = spawn(process.execPath, [main, 'gc', ...(full ? ['--full'] : [])], {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env },
    stdio: 'ignore',
    detached: true,
  })

  running.add(child)
  const gone = new Promise<void>(resolve => child.once('close', () => resolve()))
  child.once('exit', () => running.delete(child))

  return {
    freeze: async () => {
      if (child.pid && child.exitCode === null) await freezeAll(child.pid)
    },
    kill: async () => {
      if (child.pid && child.exitCode === null) killAll(child.pid)
      await gone
    },
    ended: () => child.exitCode !== null,
  }
}
