import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Logger, pino } from 'pino'
import { createToken } from '../../src/actions/people/create-token.ts'
import { readConfig } from '../../src/config.ts'
import type { Context } from '../../src/context.ts'
import { BackgroundWork } from '../../src/lib/shared-work.ts'
import { start } from '../../src/server.ts'
import { insertOrganization, putMember } from '../../src/store/people/organizations.ts'
import { insertUser } from '../../src/store/people/users.ts'
import type { Role } from '../../src/store/tables/roles.ts'
import { databaseSettings } from '../postgres/app-database.ts'
import { validateReply } from './conformance.ts'
import { putDatabase } from './database.ts'
import { forgetFolders, watchFolders } from './git/from-folder.ts'
import { record } from './http/recording.ts'
import { send } from './http/send.ts'
import { checkRepositories } from './whole.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests read responses of every shape
export type Reply<Body = any> = { status: number; headers: Headers; body: Body; text: string }

/**
 * A user with a token. The methods send JSON and return the response, whatever its status. A
 * response that contradicts the API documents fails an assertion.
 */
export type Actor = {
  id: string
  token: string
  request: (
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ) => Promise<Reply>
  get: (path: string, headers?: Record<string, string>) => Promise<Reply>
  post: (path: string, body?: unknown, headers?: Record<string, string>) => Promise<Reply>
  patch: (path: string, body: unknown) => Promise<Reply>
  put: (path: string, body: unknown) => Promise<Reply>
  delete: (path: string) => Promise<Reply>
}

const testLog = (): Logger => pino({ level: process.env.TEST_LOG ?? 'fatal', base: null })

/** A real server on a free port, with its own data folder. */
export type App = {
  ctx: Context
  url: string
  dataDir: string
  /** An admin of the organization "acme". */
  admin: Actor
  /**
   * Creates a user: a member of "acme" with this role, a guest (null), or a stranger (undefined).
   */
  user: (name: string, role?: Role | null) => Actor
  anonymous: Actor
  /**
   * Stops the server, checks every repository (unless a test has damaged one on purpose), and
   * removes the data.
   */
  stop: (options?: { damaged?: boolean }) => Promise<void>
}

/**
 * Starts a server for a test file. `env` overrides the default environment; `log` is the log of the
 * server.
 */
export async function startApp(
  env: Record<string, string> = {},
  log: Logger = testLog(),
): Promise<App> {
  // On a busy machine, a test must not see what callers see who stop waiting.
  BackgroundWork.waitMs = 60_000
  const dataDir = await mkdtemp(join(tmpdir(), 'stemma-test-'))
  putDatabase(dataDir)
  const usual = { STEMMA_DATA: dataDir, PORT: '0', NODE_ENV: 'test', ...(await databaseSettings()) }
  const config = readConfig({ ...usual, ...env })
  const server = await start(config, log)
  const { ctx, url } = server
  watchFolders(ctx)
  const at = '2026-01-01T00:00:00.000Z'

  insertOrganization(ctx.store, { id: 'acme', title: 'Acme', created_at: at })
  const user = (name: string, role?: Role | null): Actor => {
    const id = name.toLowerCase()
    insertUser(ctx.store, { id, display_name: name, email: `${id}@example.org`, created_at: at })
    if (role !== undefined) putMember(ctx.store, 'acme', id, role, at)
    return actor(url, id, createToken(ctx.store, { userId: id, name: 'test' }, ctx.now()).secret)
  }

  return {
    ctx,
    url,
    dataDir,
    admin: user('Ada', 'admin'),
    user,
    anonymous: actor(url, '', ''),
    stop: async ({ damaged = false } = {}) => {
      forgetFolders(ctx)
      await server.stop()
      try {
        if (!damaged) await checkRepositories(dataDir)
      } finally {
        await rm(dataDir, { recursive: true, force: true })
      }
    },
  }
}

/** An actor that calls the server at `url` with this token ('' for none). */
export function actor(url: string, id: string, token: string): Actor {
  const request: Actor['request'] = async (method, path, body, headers = {}) => {
    const {
      status,
      headers: received,
      text,
    } = await send(url + path, {
      method,
      headers: {
        // A new connection per request: the server may close an idle one while this process is
        // delayed.
        connection: 'close',
        ...(token && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      body: body === undefined || typeof body === 'string' ? body : JSON.stringify(body),
    }).catch((error: Error) => {
      throw new Error(`${method} ${path}: ${error.message}`)
    })
    const type = (received.get('content-type') ?? '').split(';', 1)[0] as string
    const answer = type === 'application/json' && text ? JSON.parse(text) : undefined
    const exchange = { method, path, status, type, body: answer }
    validateReply(exchange)
    record(exchange, body)

    return { status, headers: received, text, body: answer }
  }
  return {
    id,
    token,
    request,
    get: (path, headers) => request('GET', path, undefined, headers),
    post: (path, body, headers) => request('POST', path, body, headers),
    patch: (path, body) => request('PATCH', path, body),
    put: (path, body) => request('PUT', path, body),
    delete: path => request('DELETE', path),
  }
}
