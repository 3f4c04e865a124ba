import { existsSync } from 'node:fs'
import type { Context } from '../../context.ts'
import { enqueue } from '../../queue/enqueue.ts'
import { cancelJob } from '../../store/events/jobs.ts'
import { deleteSpec as deleteSpecRow } from '../../store/openapi/specs.ts'
import type { OpenapiSpecRow } from '../../store/tables/rows.ts'
import type { EventActor } from '../events/audit-event.ts'
import { againIfMoved } from '../journal/again-if-moved.ts'
import { publish } from '../journal/publish.ts'
import { forgetOtherVersions } from '../made-files/spec-rows.ts'
import { headOf } from '../repositories/head-of.ts'
import { specsKey } from '../repositories/repository-of.ts'
import { specBranch } from '../repositories/specs-repository.ts'
import { lockSpecs } from './open-specs.ts'
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
  const ref = specBranch({ slug, id: specId })
  const key = specsKey(organizationId)
  const remove = () =>
    lockSpecs(ctx, organizationId, async repo => {
      if (!existsSync(repo.dir)) return
      const from = headOf(ctx, key, ref) ?? null
      const plan = () => ({ moves: [{ ref, from, to: null }], effects: [], result: undefined })
      await publish(ctx, repo, { key, kind: 'remove-openapi-spec', userId: null, plan })
    })
  await againIfMoved(remove)
  await forgetOtherVersions(ctx, specId, [])
}
