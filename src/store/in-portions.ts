import { pauses } from '../lib/slices.ts'
import type { Store } from './store.ts'

/**
 * Writes rows in batches until none are left, and yields to the event loop in between. `write`
 * takes the largest number of rows and returns how many it wrote. The transactions are not synced:
 * a killed process repeats the work.
 */
export async function inPortions(
  store: Store,
  most: number,
  write: (limit: number) => number,
): Promise<void> {
  const pause = pauses()
  while (store.transactUnsynced(() => write(most)) > 0) await pause()
}
