import type { z } from 'zod'
import type { EventAction } from '../../../actions/events/audit-event.ts'
import type { AuditEventRow, UserRow } from '../../../store/tables/rows.ts'
import { presentUser } from '../../base/users/present.ts'
import type { AuditEvent } from './schema.ts'

/** Returns an event as the API shows it, with its actor. */
export const presentEvent = (
  row: AuditEventRow,
  user: UserRow | undefined,
  base: string,
): z.input<typeof AuditEvent> => ({
  object: 'audit-event',
  id: row.id,
  action: row.action as EventAction,
  actor: user ? { type: 'user', user: presentUser(user, base) } : { type: 'unknown' },
  target: { type: row.target_kind, id: row.target_id },
  ...(row.space_id !== null && { space: row.space_id }),
  details: row.details,
  ...(row.address && { address: row.address }),
  ...(row.token_id !== null && { token: row.token_id }),
  ...(row.request_id !== null && { requestId: row.request_id }),
  createdAt: row.created_at,
  urls: {
    location: `${base}/v1/orgs/${encodeURIComponent(row.organization_id)}/audit-events/${row.id}`,
  },
})
