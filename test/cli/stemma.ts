import { spawn } from 'node:child_process'
import { run as runHere } from '../../src/cli/run.ts'

/** The exit code and output of a run of the program. */
export type Run = { code: number | null; stdout: string; stderr: string }

/** A running program: its output so far, and its end. */
export type Running = {
  pid: number
  /** Resolves when the output matches; rejects when the program ends first. */
  says: (pattern: RegExp) => Promise<RegExpExecArray>
  kill: (signal: NodeJS.Signals) => void
  ended: Promise<Run>
}

const program = new URL('../../bin/stemma.js', import.meta.url).pathname

/** Starts the program like a user would, with only these environment variables. */
export function startStemma(args: readonly string[], env: Record<string, string> = {}): Running {
  const child = spawn(process.execPath, [program, ...args], {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, STEMMA_MANUAL: 'false', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const run: Run = { code: null, stdout: '', stderr: '' }
  const listeners = new Set<() => void>()

  for (const name of ['stdout', 'stderr'] as const)
    child[name].on('data', chunk => {
      run[name] += chunk
      for (const listener of listeners) listener()
    })

  const ended = new Promise<Run>(resolve => child.on('close', code => resolve({ ...run, code })))

  return {
    pid: child.pid ?? 0,
    ended,
    kill: signal => void child.kill(signal),
    says: pattern =>
      new Promise((resolve, reject) => {
        const look = () => {
          const match = pattern.exec(run.stdout + run.stderr)
          if (match) resolve(match)
          return match
        }
        if (look()) return
        listeners.add(look)
        ended.then(({ stderr }) =>
          reject(new Error(`It ended without saying ${pattern}: ${stderr}`)),
        )
      }),
  }
}

/** Runs the program to its end in a separate process. */
export const stemma = (args: readonly string[], env?: Record<string, string>): Promise<Run> =>
  startStemma(args, env).ended

/**
 * Runs a command line to its end in this process, which takes a tenth of the time; not for `serve`.
 * Run one at a time: everything written meanwhile counts as its output.
 */
export async function stemmaHere(
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<Run> {
  const run: Run = { code: null, stdout: '', stderr: '' }
  const { env: before } = process
  const writers = { stdout: process.stdout.write, stderr: process.stderr.write }
  process.env = { PATH: before.PATH, HOME: before.HOME, STEMMA_MANUAL: 'false', ...env }

  for (const name of ['stdout', 'stderr'] as const)
    process[name].write = (chunk: string | Uint8Array) => {
      run[name] += chunk
      return true
    }

  try {
    run.code = await runHere(args)
  } finally {
    process.env = before
    Object.assign(process.stdout, { write: writers.stdout })
    Object.assign(process.stderr, { write: writers.stderr })
  }

  return run
}
