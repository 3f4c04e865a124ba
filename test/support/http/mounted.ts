import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ErrorRequestHandler } from 'express'
import express from 'express'
import { pino } from 'pino'
import { haveFollowed } from '../../../src/actions/catch-up/catch-up.ts'
import { createToken } from '../../../src/actions/people/create-token.ts'
import { readConfig } from '../../../src/config.ts'
import type { Context } from '../../../src/context.ts'
import type { Endpoint } from '../../../src/http/endpoint.ts'
import { failureOf } from '../../../src/http/faults.ts'
import { Admission } from '../../../src/http/limits/admission.ts'
import { hangUpOnUnread } from '../../../src/http/limits/hang-up.ts'
import { Throttles } from '../../../src/http/limits/throttles.ts'
import { mount } from '../../../src/http/mount.ts'
import { openContext } from '../../../src/open.ts'
import { insertUser } from '../../../src/store/people/users.ts'
import { putDatabase } from '../database.ts'

type Sent = {
  method?: string
  headers?: Record<string, string>
  body?: string | Uint8Array<ArrayBuffer>
}

/** A server for one table of endpoints, with its own store. */
export type Mounted = {
  ctx: Context
  url: string
  /** Sends the bytes unchanged. Returns the response with its body read. */
  send: (
    path: string,
    sent?: Sent,
  ) => Promise<{ status: number; headers: Headers; body: unknown; text: string }>
  /** Returns the Authorization header of a new user. */
  signIn: (name: string) => string
  stop: () => Promise<void>
}

/** Serves a table below `prefix` with the store of a context. Returns the address. */
export async function serveTableOf(
  ctx: Context,
  table: Record<string, Endpoint>,
  prefix: string,
): Promise<{ url: string; stop: () => Promise<void> }> {
  const app = express()

  app.set('query parser', 'simple')
  app.use((req, res, next) => {
    hangUpOnUnread(req, res)
    next()
  })

  mount(app, ctx, {
    prefix,
    table,
    throttles: new Throttles(ctx),
    admission: new Admission(),
  })

  const fail: ErrorRequestHandler = (error, _req, res, _next) => {
    const { status, body } = failureOf(error)
    res.status(status).json(body)
  }

  app.use(fail)
  const server = app.listen(0, '127.0.0.1')

  await once(server, 'listening')

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: async () => {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
}

/** Serves a table at `/` with a store of its own. */
export async function serveTable(table: Record<string, Endpoint>): Promise<Mounted> {
  const dataDir = await mkdtemp(join(tmpdir(), 'stemma-http-'))
  putDatabase(dataDir)
  const ctx = openContext(
    readConfig({ STEMMA_DATA: dataDir, NODE_ENV: 'test' }),
    pino({ level: 'silent' }),
  )
  const { url, stop } = await serveTableOf(ctx, table, '')

  return {
    ctx,
    url,
    send: async (path, { method = 'GET', headers = {}, body } = {}) => {
      const response = await fetch(url + path, {
        method,
        headers,
        ...(body !== undefined && { body }),
      })
      const text = await response.text()
      const json =
        text !== '' && (response.headers.get('content-type') ?? '').startsWith('application/json')

      return {
        status: response.status,
        headers: response.headers,
        text,
        body: json ? JSON.parse(text) : undefined,
      }
    },
    signIn: name => {
      insertUser(ctx.store, {
        id: name,
        display_name: name,
        email: null,
        created_at: ctx.now().toISOString(),
      })
      return `Bearer ${createToken(ctx.store, { userId: name, name: 'test' }, ctx.now()).secret}`
    },
    stop: async () => {
      await stop()
      await haveFollowed(ctx)
      ctx.close()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}
