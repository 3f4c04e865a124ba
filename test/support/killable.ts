import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Running, startStemma } from '../cli/stemma.ts'
import { type Actor, actor } from './app.ts'

/** The real program on its own data folder, to be started and killed repeatedly. */
export type Killable = {
  dataDir: string
  /** Starts the program. Returns its admin. */
  serve: (env?: Record<string, string>) => Promise<Actor>
  /** The process that was started last. */
  running: () => Running | undefined
  /** Sends a signal and waits for the end of the process. */
  end: (signal: NodeJS.Signals) => Promise<unknown>
  /** Kills the program and removes its data. */
  remove: () => Promise<void>
}

/** Creates the data folder; `always` is the environment of every start. */
export async function openKillable(always: Record<string, string> = {}): Promise<Killable> {
  const token = `stm_${'k'.repeat(43)}`
  const dataDir = await mkdtemp(join(tmpdir(), 'stemma-killed-'))
  let server: Running | undefined
  const end = async (signal: NodeJS.Signals) => {
    server?.kill(signal)
    return server?.ended
  }

  return {
    dataDir,
    running: () => server,
    end,
    serve: async (env = {}) => {
      server = startStemma(['serve'], {
        STEMMA_DATA: dataDir,
        PORT: '0',
        STEMMA_ADMIN_TOKEN: token,
        STEMMA_LOG: 'silent',
        NODE_ENV: 'test',
        ...always,
        ...env,
      })
      const [url] = await server.says(/http:\/\/127\.0\.0\.1:\d+/)
      return actor(url, 'admin', token)
    },
    remove: async () => {
      await end('SIGKILL')
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}
