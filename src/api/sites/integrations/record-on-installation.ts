import type { EventAction, EventActor } from '../../../actions/events/audit-event.ts'
import { recordEvent } from '../../../actions/events/record-event.ts'
import type { Context } from '../../../context.ts'
import type { Integration } from '../../../store/integrations/integrations.ts'
import type { InstallationRow } from '../../../store/tables/rows.ts'

/**
 * Records an event of an installation in its organization. Call inside the transaction that makes
 * it happen.
 */
export const recordOnInstallation = (
  ctx: Context,
  integration: Integration,
  { id, organization_id: organizationId }: Pick<InstallationRow, 'id' | 'organization_id'>,
  action: EventAction,
  { details, ...by }: EventActor & { details?: Record<string, unknown> },
): void =>
  recordEvent(ctx.store, {
    action,
    organizationId,
    ...by,
    target: { kind: 'integration', id: integration.name },
    details: { installation: id, ...details },
    at: ctx.now().toISOString(),
  })
