import type { Context } from '../../src/context.ts'
import { enqueue } from '../../src/queue/enqueue.ts'
import { query } from '../../src/store/store.ts'

/**
 * Keeps the worker from updating search indexes, with a running job in their lane, so that the test
 * controls updates.
 */
export function holdSearch({ store }: Pick<Context, 'store'>): void {
  const payload = { spaceId: 'none' }
  enqueue(store, { kind: 'index-search', payload, lane: 'index-search', key: 'held' }, new Date())
  store.run(
    query
      .updateTable('job')
      .set({ state: 'running', leased_until: Date.now() + 3_600_000 })
      .where('key', '=', 'held'),
  )
}
