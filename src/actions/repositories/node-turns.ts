import { setTimeout } from 'node:timers/promises'
import { stateSlot } from '../../caches.ts'
import type { Context } from '../../context.ts'
import { BoundedCache } from '../../lib/bounded-cache.ts'
import { giveTurn, takeTurn } from '../../store/cluster/turns.ts'

/** How long nodes write to a repository in turn after one of them was overtaken, in milliseconds. */
const inTurnMs = 10_000
/** How long a node waits for its turn, in milliseconds. */
const mostWaitMs = 2_000
/** The longest pause before it asks again, in milliseconds. */
const mostPauseMs = 20

/** When this node was last overtaken by another one, by `performance.now()` and by repository. */
const overtaken = stateSlot(() => new BoundedCache<string, number>(10_000))

/** Records that another node has moved a ref of a repository before this one did. */
export const noteOvertaken = (ctx: Context, key: string): void =>
  ctx.caches.get(overtaken).set(key, performance.now(), 1)

/**
 * Runs work that moves refs of a repository that nodes share. Where this node was overtaken lately, it waits
 * until no other one writes. That saves work: which write comes first is decided by the database, so
 * a turn that does not come is not needed. The work is told whether others may have written meanwhile.
 */
export async function inTurnOfNodes<Result>(
  ctx: Context,
  key: string,
  work: (hasWaited: boolean) => Promise<Result>,
): Promise<Result> {
  const since = ctx.caches.get(overtaken).get(key)
  if (since === undefined || performance.now() - since > inTurnMs) return work(false)
  const isOurs = await waitForTurn(ctx, key)
  try {
    return await work(true)
  } finally {
    if (isOurs) await giveTurn(ctx.store, key).catch(() => {})
  }
}

async function waitForTurn({ store }: Context, key: string): Promise<boolean> {
  const until = performance.now() + mostWaitMs
  for (;;) {
    // The work tells that the database does not answer.
    const isOurs = await takeTurn(store, key).catch(() => undefined)
    if (isOurs !== false) return isOurs ?? false
    if (performance.now() > until) return false
    await setTimeout(Math.random() * mostPauseMs)
  }
}
