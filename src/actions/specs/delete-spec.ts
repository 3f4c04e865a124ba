import { existsSync } from 'node:fs'
import type { Context } from '../../context.ts'
import { moveRefs } from '../../git/refs/refs.ts'
import { enqueue } from '../../queue/enqueue.ts'
import { cancelJob } from '../../store/events/jobs.ts'
import { deleteSpec as deleteSpecRow } from '../../store/openapi/specs.ts'
import type { OpenapiSpecRow } from '../../store/tables/rows.ts'
import type { EventActor } from '../events/audit-event.ts'
import { headOf } from '../repositories/head-of.ts'
import { specsKey } from '../repositories/repository-of.ts'
import { openSpecs, specBranch, specsRepository } from '../repositories/specs-repository.ts'
import { forgetOtherVersions } from './keep-spec.ts'
import { recordOnSpec } from './record-on-spec.ts'

/** Deletes a spec, and queues a job that removes its branch. Call inside a transaction. */
export function deleteSpec(ctx: Context, spec: OpenapiSpecRow, by: EventActor): void {
  const { id: specId, organization_id: organizationId, slug } = spec
  const now = ctx.now()
  deleteSpecRow(ctx.store, specId)
  cancelJob(ctx.store, 'process-openapi', specId)
  const payload = { specId, deleted: { organizationId, slug } }

  enqueue(
    ctx.store,
    { kind: 'process-openapi', payload, lane: `openapi ${specId}`, key: specId },
    now,
  )

  recordOnSpec(ctx, spec, 'openapi_spec.deleted', by)
}

/** Removes the branch of a deleted spec and the data derived from its versions. */
export async function removeDeletedSpec(
  ctx: Context,
  specId: string,
  { organizationId, slug }: { organizationId: string; slug: string },
): Promise<void> {
  await openSpecs(ctx, organizationId)
  const repo = specsRepository(ctx, organizationId)
  if (existsSync(repo.dir)) {
    const ref = specBranch({ slug, id: specId })
    const head = headOf(ctx, specsKey(organizationId), ref)
    if (head) await moveRefs(repo, [{ ref, from: head, to: null }])
  }
  await forgetOtherVersions(ctx, specId, [])
}
