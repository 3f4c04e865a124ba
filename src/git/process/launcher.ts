import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { threadFile } from '../../lib/thread-file.ts'
import { type LaunchEvent, LaunchedChild } from './launched-child.ts'
import { signalGroup } from './signal-group.ts'

/** The most milliseconds until a program runs; a launcher that takes longer is killed. */
const patienceMs = 30_000
/** Milliseconds after which a launcher that has ended is replaced. */
const pauseMs = 1_000

/**
 * A small process that starts programs. A fork copies the page tables of its process: it holds up a
 * server of 250 MB for 8 ms, and one of 450 MB for 15 ms, but this process for 1.3 ms.
 */
export class Launcher {
  readonly #process: ChildProcess
  readonly #path: string
  readonly #children = new Map<number, LaunchedChild>()
  #count = 0

  constructor(process: ChildProcess, path: string) {
    this.#process = process
    this.#path = path
    process.on('message', ({ id, ...event }: LaunchEvent & { id: number }) => this.#take(id, event))
    process.once('exit', () => this.#lose())
    // A message to a process that has just ended: its exit is reported next.
    process.on('error', () => {})
    this.#update()
  }

  /**
   * Starts a program, whose stdout is the file `output` where one is named. It fails with the
   * events 'error' and 'close'.
   */
  start(argv: readonly string[], env: Record<string, string>, output?: string): LaunchedChild {
    const id = ++this.#count
    const child = new LaunchedChild(
      { path: this.#path, id, output },
      {
        changed: () => this.#update(),
        failed: error => {
          this.#process.send({ id, cancelled: true })
          this.#take(id, { error })
        },
      },
    )

    this.#children.set(id, child)
    this.#update()
    const timer = setTimeout(() => this.#process.kill('SIGKILL'), patienceMs).unref()

    for (const event of ['spawn', 'close']) child.once(event, () => clearTimeout(timer))
    this.#process.send({ id, argv, env, output }, error => {
      if (error) this.#take(id, { error: String(error) })
    })

    return child
  }

  /** Ends the process, and the programs that run. */
  stop(): void {
    this.#process.disconnect()
    this.#lose()
  }

  #take(id: number, event: LaunchEvent): void {
    const child = this.#children.get(id)
    if (event.pid === undefined) this.#children.delete(id)
    child?.take(event)
    this.#update()
  }

  /** Ends the programs of a launcher that has ended, since their exit codes would stay unknown. */
  #lose(): void {
    if (current === this) current = undefined
    for (const [id, { pid }] of this.#children) {
      if (pid !== undefined) signalGroup(pid, 'SIGKILL')
      this.#take(
        id,
        pid === undefined ? { error: 'the launcher ended' } : { code: null, signal: 'SIGKILL' },
      )
    }
  }

  /** Lets Node end unless a program is awaited. */
  #update(): void {
    const awaited = [...this.#children.values()].some(child => child.isAwaited)
    for (const each of [this.#process, this.#process.channel]) {
      if (awaited) each?.ref()
      else each?.unref()
    }
  }
}

let current: Launcher | undefined

/** Returns the launcher of this process; undefined while none runs. */
export const launcher = (): Launcher | undefined => current

/**
 * Keeps a launcher running on Linux until the returned function is called. Programs are started
 * without it before it runs and after it has ended. Other systems start programs without a fork.
 */
export function keepLauncher(): () => void {
  let kept = true
  const keep = async () => {
    const { process, path } = await begin()
    if (!kept) process.kill('SIGKILL')
    else if (path !== undefined) {
      current = new Launcher(process, path)
      process.once('exit', () => kept && setTimeout(keep, pauseMs).unref())
    }
  }
  if (process.platform === 'linux') void keep()

  return () => {
    kept = false
    current?.stop()
  }
}

/** Starts the process. `path` is the address of its socket; undefined when it cannot work. */
async function begin(): Promise<{ process: ChildProcess; path: string | undefined }> {
  const { url, execArgv } = threadFile('launcher')
  const { TMPDIR } = process.env
  const child = fork(fileURLToPath(url), [], {
    execArgv,
    env: { PATH: '/usr/bin:/bin', LC_ALL: 'C', ...(TMPDIR && { TMPDIR }) },
    cwd: '/',
    // Ctrl-C in a terminal is sent to the group of the server, which then still needs git.
    detached: true,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })

  child.unref()
  const path = await new Promise<string | undefined>(resolve => {
    child.once('message', (message: { path: string }) => resolve(message.path))
    child.once('error', () => resolve(undefined))
    child.once('exit', () => resolve(undefined))
  })

  return { process: child, path }
}
