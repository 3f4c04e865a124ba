import { type ChildProcess, spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const program = fileURLToPath(new URL('../../bin/stemma.js', import.meta.url))
const standby = fileURLToPath(new URL('./standby.ts', import.meta.url))

/** What a server is started with: variables, and whether it is the program as anybody starts it, or one that is warm. */
export type Start = { env: Record<string, string>; cold: boolean }

/** None outlives us. */
const running = new Set<ChildProcess>()
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

/** A server in a process group of its own. */
export type Server = {
  readonly pid: number
  /** Lets it begin; its address, or undefined when it died before it listened. */
  listen: () => Promise<string | undefined>
  /** Kills it, and with `children` every process below it. Resolves when it is gone. */
  kill: (options?: { children: boolean }) => Promise<void>
  /** Ends it as an operator does; the exit code. */
  stop: () => Promise<number | null>
  /** Resolves when it is gone, however. */
  gone: Promise<void>
  /** The lines of its log so far. */
  log: () => string[]
}

/** Starts a process that will be a server when it is told to listen. */
export function prepareServer({ env, cold }: Start): Server {
  let child: ChildProcess | undefined
  let said = ''
  let ended!: () => void
  const gone = new Promise<void>(resolve => {
    ended = resolve
  })
  const launch = (args: readonly string[]) => {
    const made = spawn(process.execPath, args, {
      env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env },
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
  if (!cold) child = launch(['--import', 'tsx', standby])
  return {
    get pid() {
      return child?.pid ?? 0
    },
    gone,
    log: () => said.split('\n').filter(line => line.startsWith('{')),
    listen: () => {
      if (child) child.stdin?.write('go\n')
      else child = launch([program, 'serve'])
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
      const all = children ? [child.pid, ...descendantsOf(child.pid)] : [child.pid]
      for (const pid of all) killOne(pid)
      await gone
    },
    stop: async () => {
      child?.kill('SIGTERM')
      await gone
      return child?.exitCode ?? null
    },
  }
}

/** Runs a command line of the program to its end: its exit code and all it said. */
export const runProgram = (
  args: readonly string[],
  env: Record<string, string>,
): Promise<{ code: number | null; said: string }> =>
  new Promise(resolve => {
    const child = spawn(process.execPath, [program, ...args], {
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

function killOne(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended by itself.
  }
}

/** The processes below a process, by what /proc says. Git's children have groups of their own. */
function descendantsOf(root: number): number[] {
  const parents = new Map<number, number>()
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8')
      parents.set(Number(name), Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]))
    } catch {
      // It ended while we looked.
    }
  }
  const found = [root]
  for (const pid of found) for (const [child, parent] of parents) if (parent === pid) found.push(child)
  return found.slice(1)
}
