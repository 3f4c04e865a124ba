import { api } from '../../src/api/routes.ts'
import { type Endpoint, InTransaction } from '../../src/http/endpoint.ts'
import type { App } from '../support/app.ts'
import { serveTableOf } from '../support/http/mounted.ts'

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
