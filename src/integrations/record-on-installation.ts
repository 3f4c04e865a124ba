import type { EventAction, EventActor } from '../actions/events/audit-event.ts'
import { recordOn } from '../actions/events/record-event.ts'
import type { Context } from '../context.ts'
import type { Integration } from '../store/integrations/integrations.ts'
import type { InstallationRow } from '../store/tables/rows.ts'

const record = recordOn('integration')

/**
 * Records an event of an installation in its organization. Call inside the transaction that makes
 * it happen.
 */
export const recordOnInstallation = (
  ctx: Context,
  integration: Integration,
  { id, organization_id }: Pick<InstallationRow, 'id' | 'organization_id'>,
  action: EventAction,
  by: EventActor,
  details?: Record<string, unknown>,
): void =>
  record(ctx, { id: integration.name, organization_id }, action, by, {
    installation: id,
    ...details,
  })
