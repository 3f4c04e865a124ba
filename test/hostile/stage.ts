import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { request as httpRequest } from 'node:http'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createToken } from '../../src/actions/people/create-token.ts'
import { insertOrganization, putMember } from '../../src/store/people/organizations.ts'
import { revokeToken } from '../../src/store/people/tokens.ts'
import { insertUser } from '../../src/store/people/users.ts'
import { Store } from '../../src/store/store.ts'
import type { Role } from '../../src/store/tables/roles.ts'
import { type SharedRows, sharedRows } from '../crash/check/shared-rows.ts'
import { serverSettings } from '../postgres/app-database.ts'
import { type GitServer, serveGit } from '../support/git/git-server.ts'
import type { Seen } from './line.ts'

const program = fileURLToPath(new URL('../../bin/stemma.js', import.meta.url))

/** Secrets, besides the tokens, that must not be on disk or in a log. */
export const plantedPassword = 'pl4nted-hunter2-s3cret'

/** A server in a process of its own, with two organizations, some users, and a Git host. */
export type Stage = {
  url: string
  pid: number
  dataDir: string
  /** The settings of a database that holds the rows and repositories; {}: the data folder does. */
  database: Record<string, string>
  shared: SharedRows | undefined
  /** The tokens by name. */
  tokens: Record<string, string>
  /** The values of `{name}` in paths. */
  ids: Record<string, string>
  host: GitServer
  /** The folder of the host's repositories. */
  folder: string
  /** The complete output of the server. */
  log: () => string
  alive: () => boolean
  call: (
    method: string,
    path: string,
    options?: { as?: string; body?: unknown; headers?: Record<string, string> },
  ) => Promise<Seen>
  /**
   * Sends bytes over a socket; returns the bytes received until the other end closed, or until `ms`
   * after the first byte.
   */
  raw: (bytes: string | Buffer, ms?: number) => Promise<Seen>
  space: (title?: string) => Promise<string>
  /** Stops and restarts the server. */
  restart: (signal?: 'SIGTERM' | 'SIGKILL') => Promise<void>
  stop: () => Promise<void>
}

export type StageOptions = { dataDir?: string; env?: Record<string, string>; nodeFlags?: string[] }

const at = '2026-01-01T00:00:00.000Z'

/** Creates users and the organizations "acme" and "globex" in a data folder, or in a shared database. */
function seed(dataDir: string, url: string | undefined): Record<string, string> {
  const store = url
    ? new Store(':memory:', { postgres: { url } })
    : new Store(join(dataDir, 'stemma.db'))
  const tokens: Record<string, string> = {}
  const person = (id: string, organization: string, role: Role | null) => {
    insertUser(store, { id, display_name: id, email: `${id}@example.org`, created_at: at })
    putMember(store, organization, id, role, at)
    tokens[id] = createToken(store, { userId: id, name: 'hostile' }, new Date()).secret
  }

  for (const id of ['acme', 'globex']) insertOrganization(store, { id, title: id, created_at: at })
  person('admin', 'acme', 'admin')
  person('editor', 'acme', 'edit')
  person('reader', 'acme', 'read')
  person('guest', 'acme', null)
  person('stranger', 'globex', 'admin')
  person('alice', 'acme', 'create')

  for (const [id, role] of [
    ['rita', 'read'],
    ['gus', null],
  ] as const) {
    person(id, 'acme', role)
    putMember(store, 'globex', id, 'read', at)
  }

  person('eve', 'globex', 'read')
  person('mal', 'globex', 'read')
  const past = { userId: 'admin', name: 'past', expiresAt: '2020-01-01T00:00:00.000Z' }

  tokens.expired = createToken(store, past, new Date()).secret
  const revoked = createToken(store, { userId: 'admin', name: 'revoked' }, new Date())

  revokeToken(store, revoked.row.id, at)
  tokens.revoked = revoked.secret
  store.close()

  return tokens
}

const children = new Set<ChildProcess>()
process.once('exit', () => {
  for (const child of children) child.kill('SIGKILL')
})

type Process = { child: ChildProcess; url: string }

/** Starts a server on a data folder; throws with its output if it ends instead. */
export async function serve(
  dataDir: string,
  { env = {}, nodeFlags = [] }: StageOptions,
  wrote: (text: string) => void,
): Promise<Process> {
  const child = spawn(process.execPath, [...nodeFlags, program, 'serve'], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      NODE_ENV: 'production',
      PORT: '0',
      STEMMA_DATA: dataDir,
      STEMMA_LOG: 'info',
      STEMMA_MANUAL: 'false',
      STEMMA_ALLOW_PRIVATE_REMOTES: 'true',
      // A run sends in minutes what users send in days; lines about these limits use a server of
      // their own.
      STEMMA_MAX_REQUESTS_PER_MINUTE: '10000000',
      STEMMA_MAX_AUTH_FAILURES_PER_MINUTE: '1000000',
      STEMMA_MAX_SPACES_PER_DAY: '0',
      STEMMA_MAX_CHANGE_REQUESTS_PER_DAY: '0',
      STEMMA_MAX_TOKENS: '1000000',
      ...env,
    },
  })

  children.add(child)
  child.once('exit', () => children.delete(child))
  const url = await new Promise<string>((resolve, reject) => {
    let said = ''
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', chunk => {
        wrote(String(chunk))
        if (said.length < 10_000) said += chunk
        const found = /listens on (http:\S+?),/.exec(said)?.[1]
        if (found) resolve(found)
      })

    child.once('exit', code =>
      reject(Object.assign(new Error(`ended with ${code}: ${said}`), { code })),
    )
  })

  return { child, url }
}

/** Opens a stage; with TEST_DATABASE=postgres, its rows and repositories are in a database. */
export async function openStage(asked: StageOptions = {}): Promise<Stage> {
  const database = await serverSettings()
  const options = { ...asked, env: { ...database, ...asked.env } }
  const dataDir = options.dataDir ?? mkdtempSync(join(tmpdir(), 'stemma-hostile-'))
  const folder = mkdtempSync(join(tmpdir(), 'stemma-hostile-host-'))
  const tokens = seed(dataDir, database.STEMMA_DATABASE)
  const host = await serveGit({ folder })
  const written: string[] = []
  let running = await serve(dataDir, options, text => written.push(text))
  const end = async (signal: NodeJS.Signals = 'SIGTERM') => {
    if (running.child.exitCode !== null || running.child.signalCode !== null) return
    running.child.kill(signal)
    await once(running.child, 'exit')
  }

  const stage: Stage = {
    get url() {
      return running.url
    },
    get pid() {
      return running.child.pid ?? 0
    },
    dataDir,
    database,
    shared: database.STEMMA_DATABASE ? sharedRows(database.STEMMA_DATABASE) : undefined,
    tokens,
    ids: {},
    host,
    folder,
    log: () => written.join(''),
    alive: () => running.child.exitCode === null && running.child.signalCode === null,
    call: (method, path, { as = 'admin', body, headers = {} } = {}) => {
      const token = tokens[as]
      return send(stage.url, method, fillIn(path, stage.ids), body, {
        ...(token && { authorization: `Bearer ${token}` }),
        ...headers,
      })
    },
    raw: (bytes, ms = 3000) => overSocket(stage.url, bytes, ms),
    space: async (title = 'Hostile') => {
      const { text } = await stage.call('POST', '/v1/orgs/acme/spaces', { body: { title } })
      return JSON.parse(text).id
    },
    restart: async signal => {
      await end(signal)
      running = await serve(dataDir, options, text => written.push(text))
    },
    stop: async () => {
      await end()
      await host.close()
      if (!options.dataDir) rmSync(dataDir, { recursive: true, force: true })
      rmSync(folder, { recursive: true, force: true })
    },
  }

  return stage
}

const fillIn = (path: string, ids: Record<string, string>): string =>
  path.replace(/\{(\w+)\}/g, (whole, name) => ids[name] ?? whole)

/** Sends a request as is: no library in between normalizes a strange path. */
export function send(
  url: string,
  method: string,
  path: string,
  body: unknown,
  headers: Record<string, string>,
): Promise<Seen> {
  const { hostname, port } = new URL(url)
  const bytes =
    body === undefined || Buffer.isBuffer(body) || typeof body === 'string'
      ? body
      : JSON.stringify(body)

  return new Promise((resolve, reject) => {
    const request = httpRequest(
      {
        hostname,
        port,
        method,
        path,
        agent: false,
        headers: {
          ...(bytes !== undefined && {
            'content-type': 'application/json',
            'content-length': Buffer.byteLength(bytes),
          }),
          ...headers,
        },
      },
      response => {
        const parts: Buffer[] = []
        response.on('data', part => parts.push(part))
        response.on('error', reject)
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            text: Buffer.concat(parts).toString('latin1'),
            headers: response.headers as Record<string, string>,
          }),
        )
      },
    )

    // A server that refuses a large body answers before it has read it, and closes the connection.
    request.on('error', error => setTimeout(() => reject(error), 2000))
    request.end(bytes)
  })
}

function overSocket(url: string, bytes: string | Buffer, ms: number): Promise<Seen> {
  const { hostname, port } = new URL(url)
  return new Promise(resolve => {
    let text = ''
    const socket = connect(Number(port), hostname, () => socket.write(bytes))
    const done = () => {
      clearTimeout(timer)
      socket.destroy()
      const status = /^HTTP\/1\.1 (\d+)/.exec(text)?.[1]
      resolve({ status: status ? Number(status) : 'closed', text })
    }

    // A busy machine answers slowly.
    let timer = setTimeout(done, 60_000)

    socket.once('data', () => {
      clearTimeout(timer)
      timer = setTimeout(done, ms)
    })
    socket.on('data', chunk => {
      text += chunk.toString('latin1')
    })
    socket.on('close', done)
    socket.on('error', done)
  })
}

/**
 * Returns the peak memory of the process since the last `forgetPeak`, in megabytes, without its
 * children.
 */
export const peakOf = (pid: number): number =>
  Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024

/** Returns the megabytes of memory that a process holds. */
export const residentOf = (pid: number): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024

/** Resets the peak memory. */
export function forgetPeak(pid: number): void {
  try {
    writeFileSync(`/proc/${pid}/clear_refs`, '5')
  } catch {
    // Without permission, the peak is that of the whole run.
  }
}
