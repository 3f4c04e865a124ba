import { enqueue } from '../queue/enqueue.ts'
import type { Store } from '../store/store.ts'

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
