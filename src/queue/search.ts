import { dismissMadePages } from '../store/search/search-index.ts'
import type { Store } from '../store/store.ts'
import { enqueue } from './enqueue.ts'

/** How long a space's index waits for further revisions, in milliseconds. */
const patience = 1_000

/** Orders that the index of a space is brought up to its content, in the transaction in which that moves. */
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
 * The same for a space that goes to another organization, inside the transaction in which it does: what was made of
 * descriptions of the former one is found in the other no more.
 */
export function queueSearchAfterTransfer(store: Store, spaceId: string, at: Date): void {
  dismissMadePages(store, spaceId)
  queueSearchIndex(store, spaceId, at)
}
