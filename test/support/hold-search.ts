import type { Context } from '../../src/context.ts'
import { enqueue } from '../../src/queue/enqueue.ts'
import { query } from '../../src/store/store.ts'

/** The worker brings no search index up while this job of its lane is under way: what a test sees is its own doing. */
export function holdSearch({ store }: Pick<Context, 'store'>): void {
  const payload = { spaceId: 'none' }
  enqueue(store, { kind: 'index-search', payload, lane: 'index-search', key: 'held' }, new Date())
  store.run(query.updateTable('job').set({ state: 'running' }).where('key', '=', 'held'))
}
