import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Caller, openCaller } from './caller.ts'

const program = fileURLToPath(new URL('../../bin/stemma.js', import.meta.url))
const token = `stm_${'b'.repeat(40)}`

/** The real server in its own process, with a temporary data folder. */
export type Stemma = {
  readonly url: string
  readonly pid: number
  readonly dataDir: string
  readonly headers: Record<string, string>
  readonly caller: Caller
  /** Stops the process and starts another one on the same folder; `meanwhile` runs in between. */
  restart: (meanwhile?: () => void | Promise<void>) => Promise<void>
  stop: () => Promise<void>
}

/** Further flags of Node.js and settings of a server. */
export type StemmaOptions = {
  nodeFlags?: readonly string[]
  env?: Readonly<Record<string, string>>
}

type Running = { child: ChildProcess; url: string; caller: Caller }

/** Starts a server. With STEMMA_BENCH_PROFILE it writes a CPU profile to that folder on exit. */
export async function startStemma(options: StemmaOptions = {}): Promise<Stemma> {
  const dataDir = await mkdtemp(join(tmpdir(), 'stemma-bench-'))
  const headers = { authorization: `Bearer ${token}` }
  let running = await run(dataDir, headers, options).catch(async (error: unknown) => {
    await rm(dataDir, { recursive: true, force: true })
    throw error
  })

  const end = async () => {
    running.caller.close()
    if (running.child.exitCode !== null || running.child.signalCode !== null) return
    running.child.kill('SIGTERM')
    await once(running.child, 'exit')
  }

  return {
    get url() {
      return running.url
    },
    get pid() {
      return running.child.pid as number
    },
    get caller() {
      return running.caller
    },
    dataDir,
    headers,
    restart: async meanwhile => {
      await end()
      await meanwhile?.()
      running = await run(dataDir, headers, options)
    },
    stop: async () => {
      await end()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}

/** Runs `work` with a server, which is always removed afterwards. */
export async function withStemma<Result>(
  work: (stemma: Stemma) => Promise<Result>,
  options?: StemmaOptions,
): Promise<Result> {
  const stemma = await startStemma(options)
  try {
    return await work(stemma)
  } finally {
    await stemma.stop()
  }
}

/** The folder of a space's repository. */
export const repositoryOf = (stemma: Stemma, spaceId: string): string =>
  join(stemma.dataDir, 'spaces', spaceId.slice(0, 2), `${spaceId}.git`)

/** The servers that run, which end with this process. */
const children = new Set<ChildProcess>()
process.once('exit', () => {
  for (const child of children) child.kill('SIGKILL')
})

async function run(
  dataDir: string,
  headers: Record<string, string>,
  { nodeFlags = [], env = {} }: StemmaOptions,
): Promise<Running> {
  const profile = process.env.STEMMA_BENCH_PROFILE
  const flags = profile ? ['--cpu-prof', `--cpu-prof-dir=${profile}`] : []
  const child = spawn(process.execPath, [...flags, ...nodeFlags, program, 'serve'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      NODE_ENV: 'production',
      PORT: '0',
      STEMMA_DATA: dataDir,
      STEMMA_LOG: 'warn',
      STEMMA_MANUAL: 'false',
      STEMMA_ADMIN_TOKEN: token,
      // Requests are still counted, but never refused.
      STEMMA_MAX_REQUESTS_PER_MINUTE: '10000000',
      STEMMA_MAX_SPACES_PER_DAY: '1000000',
      STEMMA_MAX_CHANGE_REQUESTS_PER_DAY: '1000000',
      STEMMA_ALLOW_PRIVATE_REMOTES: 'true',
      ...env,
    },
  })
  children.add(child)
  child.once('exit', () => children.delete(child))
  const url = await new Promise<string>((resolve, reject) => {
    let said = ''
    child.stdout.on('data', chunk => {
      said += chunk
      const found = /listens on (http:\S+?),/.exec(said)?.[1]
      if (found) resolve(found)
    })
    child.once('exit', code =>
      reject(new Error(`The server exited with ${code} before it listened: ${said}`)),
    )
  })

  return { child, url, caller: openCaller(url, headers) }
}
