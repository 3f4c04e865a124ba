import { pauses } from '../lib/slices.ts'
import type { Store } from './store.ts'

/**
 * Writes rows some at a time, until there are none left, and lets others in meanwhile. `write` is told how many at most, and
 * gives how many there were. Nobody waits for the disk: who is killed meanwhile begins anew.
 */
export async function inPortions(
  store: Store,
  most: number,
  write: (limit: number) => number,
): Promise<void> {
  const pause = pauses()
  while (store.transactUnsynced(() => write(most)) > 0) await pause()
}
