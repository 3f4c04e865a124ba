import { FairSlots } from '../../lib/fair-slots.ts'
import { GitError } from '../values/errors.ts'

/**
 * Which pool a process belongs to: local work, work on a remote host, which may take arbitrarily
 * long, or answers to fetches and checks of pushed packs, which would stop the API if they shared
 * its places.
 */
export type SlotKind = 'local' | 'remote' | 'fetch' | 'push'

const busy = () =>
  new GitError('busy', 'Too many Git operations are running. Try again in a moment.')

const pool = (total: number, waitMs: number) =>
  new FairSlots({ total, perShare: total, waitersPerShare: 64, waitMs, refusal: busy })

/**
 * Limits on short-lived git processes: the machine has few cores. Remote ones mostly wait for the
 * network.
 */
const pools: Record<SlotKind, FairSlots> = {
  local: pool(8, 10_000),
  remote: pool(8, 10_000),
  fetch: pool(4, 30_000),
  push: pool(2, 30_000),
}

/** Waits for a free slot and returns a function that releases it. Throws GitError 'busy'. */
export const takeSlot = (kind: SlotKind): Promise<() => void> => pools[kind].take(kind)
