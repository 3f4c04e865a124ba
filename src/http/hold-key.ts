import { setTimeout } from 'node:timers/promises'
import type { Idempotency } from '../access/asker.ts'
import type { Context } from '../context.ts'
import { randomId } from '../lib/digest.ts'
import { claimKey, releaseKey } from '../store/events/idempotency.ts'
import type { Store } from '../store/store.ts'

/** How often a claim is renewed: it outlasts two failures. */
const renewMs = 5_000
/** The first and the longest pause before a key that is held is asked for again. */
const pausesMs: readonly [number, number] = [10, 250]

/**
 * Runs `work` while no other request with the same key runs, on this node or another one, in order of
 * arrival on this one. The key of a node that has died is free at once, and that of one that is silent after
 * 15 seconds.
 */
export const holdKey = <Result>(
  ctx: Context,
  idempotency: Idempotency,
  work: () => Promise<Result>,
): Promise<Result> =>
  ctx.locks.run(`idempotency ${idempotency.userId} ${idempotency.key}`, () =>
    ctx.store.later ? whileClaimed(ctx, idempotency, work) : work(),
  )

async function whileClaimed<Result>(
  { store }: Context,
  idempotency: Idempotency,
  work: () => Promise<Result>,
): Promise<Result> {
  const owner = randomId()
  if (!(await claimKey(store, idempotency, owner))) {
    await untilClaimed(store, idempotency, owner)
    // What the other request has written.
    await store.gate?.pass()
  }

  const renew = () => void claimKey(store, idempotency, owner).catch(() => {})
  const timer = setInterval(renew, renewMs).unref()

  try {
    return await work()
  } finally {
    clearInterval(timer)
    // Otherwise the claim ends by itself.
    await releaseKey(store, idempotency, owner).catch(() => {})
  }
}

async function untilClaimed(store: Store, idempotency: Idempotency, owner: string): Promise<void> {
  let [pauseMs] = pausesMs
  do {
    await setTimeout(pauseMs)
    pauseMs = Math.min(pauseMs * 2, pausesMs[1])
  } while (!(await claimKey(store, idempotency, owner)))
}
