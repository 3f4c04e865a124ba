import { existsSync } from 'node:fs'
import type { Context } from '../../context.ts'
import { moveRefs, readRef } from '../../git/refs/refs.ts'
import { enqueue } from '../../queue/enqueue.ts'
import { cancelJob } from '../../store/events/jobs.ts'
import { deleteSpec } from '../../store/openapi/specs.ts'
import type { OpenapiSpecRow } from '../../store/tables/rows.ts'
import { type Doer, recordEvent } from '../events/record-event.ts'
import { specBranch, specsRepository } from '../repositories/specs-repository.ts'
import { forgetOthers } from './keep-spec.ts'

/** Deletes a description; its branch goes a moment later. Inside a transaction. */
export function deleteOpenapi(ctx: Context, spec: OpenapiSpecRow, { userId, origin }: Doer): void {
  const { id: specId, organization_id: organizationId, slug } = spec
  const now = ctx.now()
  deleteSpec(ctx.store, specId)
  cancelJob(ctx.store, 'process-openapi', specId)
  const payload = { specId, deleted: { organizationId, slug } }
  enqueue(ctx.store, { kind: 'process-openapi', payload, lane: `openapi ${specId}`, key: specId }, now)
  recordEvent(ctx.store, {
    action: 'openapi_spec.deleted',
    organizationId,
    userId,
    origin,
    target: { kind: 'openapi-spec', id: specId },
    details: { slug },
    at: now.toISOString(),
  })
}

/** Removes what a deleted description has left: its branch, and what was derived from its versions. */
export async function removeDeletedOpenapi(
  ctx: Context,
  specId: string,
  { organizationId, slug }: { organizationId: string; slug: string },
): Promise<void> {
  const repo = specsRepository(ctx, organizationId)
  if (existsSync(repo.dir)) {
    const ref = specBranch({ slug, id: specId })
    const head = readRef(repo, ref)
    if (head) await moveRefs(repo, [{ ref, from: head, to: null }])
  }
  await forgetOthers(ctx, specId, [])
}
