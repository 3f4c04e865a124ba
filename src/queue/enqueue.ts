import { randomId } from '../lib/digest.ts'
import { insertJob } from '../store/events/jobs.ts'
import type { Store } from '../store/store.ts'
import type { JobOrder } from './kinds.ts'

const listeners = new WeakMap<Store, () => void>()

const soonMs = 60_000

/** Lets `listener` know whenever a job that is due soon is written down through this store, before it is committed. */
export const onEnqueue = (store: Store, listener: () => void): void => {
  listeners.set(store, listener)
}

/** Writes a job down, inside the transaction that makes it due if there is one. */
export function enqueue(store: Store, order: JobOrder, at: Date): void {
  insertJob(store, {
    id: randomId(),
    kind: order.kind,
    lane: order.lane,
    key: order.key ?? null,
    payload: JSON.stringify(order.payload),
    run_at: order.runAt ?? at.getTime(),
    created_at: at.toISOString(),
    user_id: order.userId ?? null,
    organization_id: order.organizationId ?? null,
  })
  // Who waits for what is due looks now and then anyway.
  if ((order.runAt ?? 0) < at.getTime() + soonMs) listeners.get(store)?.()
}
