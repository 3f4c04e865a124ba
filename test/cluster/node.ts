import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type Call, openCall } from '../crash/clients/call.ts'
import type { Program } from '../crash/program.ts'
import { prepareServer, type Server } from '../crash/server.ts'
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
  /** Starts it, and waits until it listens. */
  start: (env?: Record<string, string>) => Promise<void>
  /** Kills it with its children, and deletes its folder. */
  destroy: () => Promise<void>
  /** Ends it with SIGTERM. Returns its exit code. */
  stop: () => Promise<number | null>
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
  const close = () => {
    open?.close()
    open = undefined
  }

  return {
    name,
    relay,
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
      const address = `postgres://stemma@127.0.0.1:${relay.port}/${database.name}`
      const settings = { STEMMA_DATA: dataDir, STEMMA_DATABASE: address, PORT: '0' }
      server = prepareServer({ env: { ...env, ...settings, ...more }, cold: false, program })
      const listens = await server.listen()
      if (!listens) throw new Error(`${name} did not start: ${server.log().at(-1) ?? 'no output'}`)
      url = listens
      open = openCall(url, env.STEMMA_ADMIN_TOKEN!)
    },
    async destroy() {
      close()
      await server?.kill({ children: true })
      rmSync(dataDir, { recursive: true, force: true, maxRetries: 10 })
    },
    stop() {
      close()
      return server!.stop()
    },
  }
}
