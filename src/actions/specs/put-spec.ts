import type { Context } from '../../context.ts'
import { Fault } from '../../errors.ts'
import { randomId } from '../../lib/digest.ts'
import { queueProcessing } from '../../queue/specs.ts'
import { countSources, insertSource } from '../../store/openapi/sources.ts'
import { countSpecs, insertSpec, updateSpec } from '../../store/openapi/specs.ts'
import type { OpenapiSourceRow, OpenapiSpecRow } from '../../store/tables/rows.ts'
import type { EventActor } from '../events/audit-event.ts'
import { recordOnSpec } from './record-on-spec.ts'

/** Limits: specs of an organization, waiting sources of a spec. */
const mostSpecs = 1_000
const mostWaiting = 10

type NewSource = Pick<OpenapiSourceRow, 'url' | 'packed'>

/**
 * Creates a spec and queues reading its source. Call inside a transaction. Throws 'conflict' when
 * there are too many.
 */
export function createSpec(
  ctx: Context,
  { organizationId, slug }: { organizationId: string; slug: string },
  source: NewSource,
  doer: EventActor,
): OpenapiSpecRow {
  if (countSpecs(ctx.store, organizationId) >= mostSpecs)
    throw new Fault(
      'limit_reached',
      `An organization can have at most ${mostSpecs} OpenAPI specs. Delete one first.`,
    )

  const at = ctx.now().toISOString()
  const spec = insertSpec(ctx.store, {
    id: randomId(),
    organization_id: organizationId,
    slug,
    source_url: source.url,
    created_by: doer.userId,
    created_at: at,
    updated_at: at,
  })

  addSource(ctx, spec, source, doer, at)
  recordOnSpec(ctx, spec, 'openapi_spec.created', doer, sourceIn(source))

  return spec
}

/**
 * Sets the source of a spec, or fetches the same source again. Sources that wait already are read
 * first. Call inside a transaction. Throws 'too_many' when too many wait.
 */
export function setSpecSource(
  ctx: Context,
  spec: OpenapiSpecRow,
  source: NewSource,
  doer: EventActor,
): OpenapiSpecRow {
  if (countSources(ctx.store, spec.id) >= mostWaiting)
    throw new Fault(
      'too_many_pending',
      `${mostWaiting} sources of this OpenAPI spec are waiting to be read. Try again later.`,
    )

  const at = ctx.now().toISOString()
  addSource(ctx, spec, source, doer, at)
  const details = { changed: ['source'], ...sourceIn(source) }
  recordOnSpec(ctx, spec, 'openapi_spec.updated', doer, details)

  return updateSpec(ctx.store, spec.id, {
    source_url: source.url,
    ...(spec.state === 'complete' && { state: 'pending' }),
    updated_at: at,
  }) as OpenapiSpecRow
}

/** Returns the kind of a source, and only the host of an address: the rest may be secret. */
const sourceIn = ({ url }: NewSource): Record<string, unknown> =>
  url === null ? { source: 'text' } : { source: 'url', host: new URL(url).host }

function addSource(
  ctx: Context,
  spec: OpenapiSpecRow,
  source: NewSource,
  { userId }: EventActor,
  at: string,
): void {
  insertSource(ctx.store, { spec_id: spec.id, ...source, created_by: userId, created_at: at })
  queueProcessing(ctx.store, spec.id, new Date(at))
}
