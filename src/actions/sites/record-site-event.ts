import type { Context } from '../../context.ts'
import type { SiteRow } from '../../store/tables/rows.ts'
import type { EventAction, EventActor } from '../events/audit-event.ts'
import { recordEvent } from '../events/record-event.ts'

/** Records an event of a site. Call inside the transaction that makes it happen. */
export const recordSiteEvent = (
  ctx: Context,
  site: Pick<SiteRow, 'id' | 'organization_id'>,
  action: EventAction,
  by: EventActor,
  details: Record<string, unknown> = {},
): void =>
  recordEvent(ctx.store, {
    action,
    organizationId: site.organization_id,
    ...by,
    target: { kind: 'site', id: site.id },
    details,
    at: ctx.now().toISOString(),
  })
