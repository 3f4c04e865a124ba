import { api } from '../../src/api/routes.ts'
import { type Endpoint, InTransaction } from '../../src/http/endpoint.ts'
import { query } from '../../src/store/store.ts'
import type { App } from '../support/app.ts'
import { serveTableOf } from '../support/http/mounted.ts'
import { readWritten, type Written } from './written.ts'

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
): Promise<{ url: string; stop: () => Promise<void> }> {
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

  return await serveTableOf(ctx, table, '/v1')
}

/**
 * Returns the written state, in which no job is going to write: those that are not due yet are
 * postponed.
 */
export async function quietState(app: App, spaceId: string): Promise<Written> {
  await readWritten(app, spaceId)
  app.ctx.store.run(
    query
      .updateTable('job')
      .set({ run_at: Date.now() + 86_400_000 })
      .where('run_at', '>', Date.now()),
  )
  return readWritten(app, spaceId)
}
