import type { Context } from '../../context.ts'
import { Fault } from '../../errors.ts'
import { randomId } from '../../lib/digest.ts'
import { countSources, insertSource } from '../../store/openapi/sources.ts'
import { countSpecs, insertSpec, updateSpec } from '../../store/openapi/specs.ts'
import type { OpenapiSourceRow, OpenapiSpecRow } from '../../store/tables/rows.ts'
import { type Doer, type EventAction, recordEvent } from '../events/record-event.ts'
import { queueProcessing } from './process-spec.ts'

/** The most descriptions that an organization has, and sources of one that wait. */
const mostSpecs = 1_000
const mostWaiting = 10

type NewSource = Pick<OpenapiSourceRow, 'url' | 'packed'>

/** Makes a description, to be read from its source as soon as may be. Inside a transaction. Throws 'conflict' when there are too many. */
export function createOpenapi(
  ctx: Context,
  { organizationId, slug }: { organizationId: string; slug: string },
  source: NewSource,
  doer: Doer,
): OpenapiSpecRow {
  if (countSpecs(ctx.store, organizationId) >= mostSpecs)
    throw new Fault('conflict', `An organization has ${mostSpecs} descriptions at most. Delete one first.`)
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
  recordOnSpec(ctx, spec, 'openapi_spec.created', doer, sourceIn(source), at)
  return spec
}

/**
 * Gives a description another source, or the same one to be fetched again. Those that wait already are read before it.
 * Inside a transaction. Throws 'too_many' when too many wait.
 */
export function updateOpenapi(
  ctx: Context,
  spec: OpenapiSpecRow,
  source: NewSource,
  doer: Doer,
): OpenapiSpecRow {
  if (countSources(ctx.store, spec.id) >= mostWaiting)
    throw new Fault(
      'too_many',
      `${mostWaiting} sources of this description wait to be read. Try again later.`,
    )
  const at = ctx.now().toISOString()
  addSource(ctx, spec, source, doer, at)
  recordOnSpec(ctx, spec, 'openapi_spec.updated', doer, { changed: ['source'], ...sourceIn(source) }, at)
  return updateSpec(ctx.store, spec.id, {
    source_url: source.url,
    ...(spec.state === 'complete' && { state: 'pending' }),
    updated_at: at,
  }) as OpenapiSpecRow
}

/** Writes down what happened to a description, inside the transaction that makes it happen. */
export const recordOnSpec = (
  ctx: Context,
  spec: OpenapiSpecRow,
  action: EventAction,
  { userId, origin }: Doer,
  details: Record<string, unknown>,
  at: string,
): void =>
  recordEvent(ctx.store, {
    action,
    organizationId: spec.organization_id,
    userId,
    origin,
    target: { kind: 'openapi-spec', id: spec.id },
    details: { slug: spec.slug, ...details },
    at,
  })

/** Of an address the host alone: the rest of it may be a secret. */
const sourceIn = ({ url }: NewSource): Record<string, unknown> =>
  url === null ? { source: 'text' } : { source: 'url', host: new URL(url).host }

function addSource(
  ctx: Context,
  spec: OpenapiSpecRow,
  source: NewSource,
  { userId }: Doer,
  at: string,
): void {
  insertSource(ctx.store, { spec_id: spec.id, ...source, created_by: userId, created_at: at })
  queueProcessing(ctx.store, spec.id, new Date(at))
}
