import { dismissMadePages } from '../store/search/search-index.ts'
import type { Store } from '../store/store.ts'
import { enqueue } from './enqueue.ts'

/** How long an index update waits for further revisions, in milliseconds. */
const patience = 1_000

/** Enqueues an update of a space's index, in the transaction that moves its content. */
export const queueSearchIndex = (store: Store, spaceId: string, at: Date): void =>
  enqueue(
    store,
    {
      kind: 'index-search',
      payload: { spaceId },
      lane: 'index-search',
      key: spaceId,
      runAt: at.getTime() + patience,
    },
    at,
  )

/**
 * Enqueues an index update for a space that is transferred to another organization, inside the
 * transaction of the transfer. Pages computed from specs of the former organization are removed
 * from the index right after its commit.
 */
export function queueSearchAfterTransfer(store: Store, spaceId: string, at: Date): void {
  store.afterCommit(() => dismissMadePages(store, spaceId))
  queueSearchIndex(store, spaceId, at)
}
