import type { RateLimit } from '../lib/rate-limit.ts'
import { addGuess } from '../store/events/guesses.ts'
import type { Store } from '../store/store.ts'

/**
 * Counts a guess at a secret, such as an unusable token. Returns 0, or the milliseconds to wait above
 * the limit. Other nodes learn of it, and this one of theirs, while the request is answered: a client
 * that asks many nodes has the allowance of one, but for the guesses that are under way.
 */
export function countGuess(store: Store, kind: string, limit: RateLimit, client: string): number {
  const wait = limit.take(client)
  // Without the database each node counts alone.
  if (wait === 0)
    addGuess(store, `${kind} ${client}`, limit.costMs)
      .then(fullInMs => fullInMs !== undefined && limit.raise(client, fullInMs))
      .catch(() => {})
  return wait
}
