import { mkdirSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type Call, openCall } from '../crash/clients/call.ts'
import type { Program } from '../crash/program.ts'
import { prepareServer, runProgram, type Server } from '../crash/server.ts'
import type { Database } from './database.ts'
import type { Relay } from './relay.ts'

/** A server of the cluster, which may be started again. */
export type Node = {
  readonly name: string
  /** Its connection to the database. */
  readonly relay: Relay
  readonly server: Server
  /** Undefined while it is down. */
  readonly call: Call | undefined
  readonly url: string
  /** The token of its administrator. */
  readonly token: string
  /** The program that its next start runs. */
  program: Program
  /** Starts it, and waits until it listens. Throws with the last line of its log if it does not. */
  start: (env?: Record<string, string>) => Promise<void>
  /** Kills it with its children, and deletes its folder. */
  destroy: () => Promise<void>
  /** Ends it with SIGTERM. Throws if it does not exit with 0. */
  stop: () => Promise<void>
  /** Runs a command with its settings by a program. Returns the exit code and the output. */
  run: (program: Program, args: readonly string[]) => ReturnType<typeof runProgram>
}

export type NodeOptions = {
  name: string
  folder: string
  database: Database
  program: Program
  env: Record<string, string>
}

export async function openNode({
  name,
  folder,
  database,
  program,
  env,
}: NodeOptions): Promise<Node> {
  const dataDir = join(folder, name)
  const relay = await database.openRelay()
  let server: Server | undefined
  let open: ReturnType<typeof openCall> | undefined
  let url = ''
  const token = env.STEMMA_ADMIN_TOKEN!
  const settings = {
    ...env,
    STEMMA_DATA: dataDir,
    STEMMA_DATABASE: `postgres://stemma@127.0.0.1:${relay.port}/${database.name}`,
    PORT: '0',
  }
  const close = () => {
    open?.close()
    open = undefined
  }

  const node: Node = {
    name,
    relay,
    token,
    program,
    get server() {
      return server!
    },
    get call() {
      return open?.call
    },
    get url() {
      return url
    },
    async start(more = {}) {
      mkdirSync(dataDir, { recursive: true })
      server = prepareServer({
        env: { ...settings, ...more },
        cold: false,
        program: node.program,
      })
      const listens = await server.listen()
      if (!listens) throw new Error(`${name} did not start: ${server.log().at(-1) ?? 'no output'}`)
      url = listens
      open = openCall(url, token)
    },
    async destroy() {
      close()
      await server?.kill({ children: true })
      // The relays are in this process: nothing may block it.
      await rm(dataDir, { recursive: true, force: true, maxRetries: 10 })
    },
    async stop() {
      close()
      const code = await server!.stop()
      if (code !== 0) throw new Error(`${name} exited with ${code} on SIGTERM`)
    },
    run: (other, args) => runProgram(other, args, settings),
  }
  return node
}
