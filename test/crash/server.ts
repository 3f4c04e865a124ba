import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { freezeAll, killAll, killOne } from './processes.ts'
import type { Program } from './program.ts'

const real = fileURLToPath(new URL('../../bin/stemma.js', import.meta.url))

/**
 * How a server is started: its environment, and whether it is a cold start of the program or a
 * preloaded process.
 */
export type Start = {
  env: Record<string, string>
  cold: boolean
  program: Program
  /** A program and its arguments that execute the server. */
  through?: readonly string[]
}

/** No server survives this process, not even a frozen one. */
const running = new Set<ChildProcess>()
process.once('exit', () => {
  for (const { pid } of running) if (pid) killAll(pid)
})

/** A server in its own process group. */
export type Server = {
  readonly pid: number
  /** Makes it start. Returns its address, or undefined if it died before it listened. */
  listen: () => Promise<string | undefined>
  /** Kills it, and with `children` all its descendants. Resolves when it has exited. */
  kill: (options?: { children: boolean }) => Promise<void>
  /** Stops it and all its descendants. Resolves when all are stopped. */
  freeze: () => Promise<void>
  /** Ends it with SIGTERM, as an operator does. Returns the exit code. */
  stop: () => Promise<number | null>
  /** Resolves when it has exited for any reason. */
  gone: Promise<void>
  /** The lines of its log so far. */
  log: () => string[]
}

/** Starts a process that becomes a server on `listen`. */
export function prepareServer({ env, cold, program, through = [] }: Start): Server {
  let child: ChildProcess | undefined
  let said = ''
  let ended!: () => void
  const gone = new Promise<void>(resolve => {
    ended = resolve
  })
  const launch = (args: readonly string[]) => {
    const [first, ...rest] = [...through, process.execPath, ...args]
    const made = spawn(first!, rest, {
      env: { PATH: process.env.PATH, HOME: process.env.HOME, STEMMA_MANUAL: 'false', ...env },
      stdio: ['pipe', 'pipe', 'inherit'],
      detached: true,
    })

    made.stdin.on('error', () => {})
    made.stdout.setEncoding('utf8').on('data', (text: string) => {
      said += text
    })
    made.once('close', ended)
    running.add(made)
    made.once('exit', () => running.delete(made))

    return made
  }
  if (!cold) child = launch([program.standby])

  return {
    get pid() {
      return child?.pid ?? 0
    },
    gone,
    log: () => said.split('\n').filter(line => line.startsWith('{')),
    listen: () => {
      if (child) child.stdin?.write('go\n')
      else child = launch([real, 'serve'])
      const started = child
      return new Promise(resolve => {
        const look = () => {
          const url = /listens on (http:\S+?),/.exec(said)?.[1]
          if (url) resolve(url)
        }
        started.stdout?.on('data', look)
        gone.then(() => resolve(undefined))
      })
    },
    kill: async ({ children } = { children: false }) => {
      if (!child?.pid) return
      if (children) killAll(child.pid)
      else killOne(child.pid)
      await gone
    },
    freeze: async () => {
      if (child?.pid) await freezeAll(child.pid)
    },
    stop: async () => {
      child?.kill('SIGTERM')
      await gone
      return child?.exitCode ?? null
    },
  }
}

/** Runs a command line of the program to its end. Returns its exit code and output. */
export const runProgram = (
  { main }: Program,
  args: readonly string[],
  env: Record<string, string>,
): Promise<{ code: number | null; said: string }> =>
  new Promise(resolve => {
    const child = spawn(process.execPath, [main, ...args], {
      env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let said = ''
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        said += text
      })

    child.once('close', code => resolve({ code, said }))
  })
