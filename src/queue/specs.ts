import { cancelJob } from '../store/events/jobs.ts'
import { nextSource } from '../store/openapi/sources.ts'
import { findSpec } from '../store/openapi/specs.ts'
import type { Store } from '../store/store.ts'
import { enqueue } from './enqueue.ts'

/**
 * Queues the job that reads the next source of a spec. Call inside the transaction that adds the
 * source.
 */
export function queueProcessing(store: Store, specId: string, now: Date, waitMs = 0): void {
  cancelJob(store, 'process-openapi', specId)
  const organizationId = findSpec(store, specId)?.organization_id
  enqueue(
    store,
    {
      kind: 'process-openapi',
      payload: { specId },
      lane: `openapi ${specId}`,
      key: specId,
      userId: nextSource(store, specId)?.created_by ?? null,
      ...(organizationId !== undefined && { organizationId }),
      ...(waitMs > 0 && { runAt: now.getTime() + waitMs }),
    },
    now,
  )
}
