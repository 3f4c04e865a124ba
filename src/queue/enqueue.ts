import { randomId } from '../lib/digest.ts'
import { insertJob } from '../store/events/jobs.ts'
import type { Store } from '../store/store.ts'
import type { JobOrder } from './kinds.ts'

const listeners = new WeakMap<Store, () => void>()

const soonMs = 60_000

/** Calls `listener` whenever a job that is due soon has been inserted through this store. */
export function onEnqueue(store: Store, listener: () => void): void {
  listeners.set(store, listener)
}

/** Inserts a job, inside the transaction that makes it due if there is one. */
export function enqueue(store: Store, order: JobOrder, at: Date): void {
  const now = at.getTime()
  const delay = (order.runAt ?? now) - now
  const row = {
    id: randomId(),
    kind: order.kind,
    lane: order.lane,
    key: order.key ?? null,
    payload: order.payload,
    created_at: at.toISOString(),
    user_id: order.userId ?? null,
    organization_id: order.organizationId ?? null,
  }

  insertJob(store, row, now, delay)
  // Jobs that are due later are found by the worker's regular checks.
  if (delay < soonMs) store.whenCommitted(() => listeners.get(store)?.())
}
