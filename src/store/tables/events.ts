import type { Generated } from 'kysely'
import { ofOrganization, table } from './table.ts'

type IdempotencyTable = {
  user_id: string
  key: string
  request_hash: string
  status: number
  /** The bytes that were sent, as text. */
  body: string | null
  headers: Generated<Record<string, string> | null>
  created_at: string
}

type JobTable = {
  seq: Generated<number>
  id: string
  kind: string
  lane: string
  key: string | null
  payload: object
  state: Generated<'waiting' | 'running' | 'dead'>
  attempts: Generated<number>
  run_at: number
  /** The worker that runs the job; null unless it is running. */
  owner: string | null
  error: string | null
  created_at: string
  user_id: string | null
  organization_id: string | null
  /**
   * Until when the owner is presumed alive, in milliseconds since 1970; null unless the job is
   * running.
   */
  leased_until: Generated<number | null>
}

type AuditEventTable = {
  seq: Generated<number>
  id: string
  organization_id: string
  action: string
  user_id: string | null
  token_id: string | null
  address: string | null
  request_id: string | null
  target_kind: string
  target_id: string
  space_id: string | null
  details: Generated<Record<string, unknown>>
  created_at: string
}

type WebhookTable = {
  seq: Generated<number>
  id: string
  organization_id: string
  url: string
  events: string[]
  sealed: string
  former_sealed: string | null
  former_until: string | null
  active: Generated<number>
  failing_since: string | null
  created_by: string
  created_at: string
  updated_at: string
}

type WebhookDeliveryTable = {
  seq: Generated<number>
  id: string
  webhook_id: string
  event_id: string
  event: string
  /** The JSON text that is signed and sent. */
  payload: string
  state: Generated<'waiting' | 'success' | 'failure'>
  attempts: Generated<number>
  status_code: number | null
  error: string | null
  redelivery_of: string | null
  created_at: string
  attempted_at: string | null
  next_attempt_at: string | null
}

export const eventsTables = {
  idempotency: table<IdempotencyTable>({ scope: 'derived', json: { headers: true } }),
  job: table<JobTable>({ scope: 'derived', json: { payload: true } }),
  audit_event: table<AuditEventTable>({ scope: 'derived', json: { details: true } }),
  webhook: table<WebhookTable>({ scope: ofOrganization, json: { events: true } }),
  webhook_delivery: table<WebhookDeliveryTable>({ scope: 'derived' }),
}
