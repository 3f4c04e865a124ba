import type { Context } from '../../context.ts'
import type { OpenapiSpecRow } from '../../store/tables/rows.ts'
import type { EventAction, EventActor } from '../events/audit-event.ts'
import { recordOn } from '../events/record-event.ts'

const record = recordOn('openapi-spec')

/** Records an event of a spec. Call inside the transaction that changes the spec. */
export const recordOnSpec = (
  ctx: Context,
  spec: OpenapiSpecRow,
  action: EventAction,
  by: EventActor,
  details?: Record<string, unknown>,
): void => record(ctx, spec, action, by, { slug: spec.slug, ...details })
