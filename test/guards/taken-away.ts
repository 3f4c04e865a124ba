import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import type { ErrorRequestHandler } from 'express'
import express from 'express'
import { api } from '../../src/api/routes.ts'
import { type Endpoint, InTransaction } from '../../src/http/endpoint.ts'
import { failureOf } from '../../src/http/faults.ts'
import { Admission } from '../../src/http/limits/admission.ts'
import { Throttles } from '../../src/http/limits/throttles.ts'
import { mount } from '../../src/http/mount.ts'
import { WarmAnswers } from '../../src/http/warm-answers.ts'
import type { App } from '../support/app.ts'

/** What happens in a request between its guard and its write. */
export type Between = {
  /**
   * Whether it happens before the handler, or else after the handler if it ends with
   * `inTransaction`.
   */
  early: boolean
  run: () => Promise<void>
}

/**
 * Serves the API of an app a second time, with `between()` in each request. Returns its address.
 */
export async function serveBetween(
  { ctx }: App,
  between: () => Between,
): Promise<{ url: string; stop: () => void }> {
  const table: Record<string, Endpoint> = {}
  for (const [key, endpoint] of Object.entries(api)) {
    const handle = endpoint.handle as (input: unknown) => unknown
    table[key] = {
      ...endpoint,
      handle: async (input: unknown) => {
        const { early, run } = between()
        if (early) await run()
        const result = await handle(input)
        if (!early && result instanceof InTransaction) await run()
        return result
      },
    }
  }

  const app = express()
  app.set('query parser', 'simple')
  mount(app, ctx, {
    prefix: '/v1',
    table,
    warm: new WarmAnswers(ctx.store),
    throttles: new Throttles(ctx.config),
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
    stop: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}
