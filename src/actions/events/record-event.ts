import type { Origin } from '../../access/asker.ts'
import { randomId } from '../../lib/digest.ts'
import { insertAuditEvent } from '../../store/events/audit-events.ts'
import type { Store } from '../../store/store.ts'
import { queueDeliveries } from './queue-deliveries.ts'

/** What can happen, as `<what it happened to>.<what happened>`: the closed list of `action` in the audit log. */
export const eventActions = [
  'organization.created',
  'organization.updated',
  'member.invited',
  'member.joined',
  'member.updated',
  'member.removed',
  'invite.created',
  'invite.updated',
  'invite.deleted',
  'team.created',
  'team.updated',
  'team.deleted',
  'team.members_updated',
  'token.created',
  'token.revoked',
  'token.refused',
  'user.updated',
  'permission.given',
  'permission.removed',
  'collection.created',
  'collection.updated',
  'collection.moved',
  'collection.transferred',
  'collection.deleted',
  'space.created',
  'space.updated',
  'space.content_updated',
  'space.duplicated',
  'space.moved',
  'space.transferred',
  'space.deleted',
  'space.purged',
  'space.restored',
  'space.read',
  'space.downloaded',
  'change_request.drafted',
  'change_request.opened',
  'change_request.updated',
  'change_request.content_updated',
  'change_request.merged',
  'change_request.archived',
  'reviewer.requested',
  'reviewer.removed',
  'review.submitted',
  'comment.created',
  'comment.updated',
  'comment.resolved',
  'comment.reopened',
  'comment.deleted',
  'reply.created',
  'reply.updated',
  'reply.deleted',
  'git_sync.started',
  'git_sync.completed',
  'git_sync.forgotten',
  'openapi_spec.created',
  'openapi_spec.updated',
  'openapi_spec.processed',
  'openapi_spec.deleted',
  'webhook.created',
  'webhook.updated',
  'webhook.deleted',
  'webhook.pinged',
  'webhook.redelivered',
] as const

export type EventAction = (typeof eventActions)[number]

/** Who does something, and from where; null where nobody knows: a push, the command line. */
export type Doer = { userId: string | null; origin: Origin | null }

/** Something that happened in an organization, as plain data: it may wait in the journal before it is recorded. */
export type Happening = {
  action: EventAction
  organizationId: string
  /** Who did it; null: nobody known, as with a push or on the command line. */
  userId: string | null
  /** From where; null: not over HTTP. */
  origin: Origin | null
  /** What it happened to, e.g. `{ kind: 'comment', id }`. */
  target: { kind: string; id: string }
  spaceId?: string | undefined
  /** What else there is to know: ids, and values before and after. Never a secret, and no text that people wrote. */
  details?: Record<string, unknown> | undefined
  /** As ISO 8601 has it. */
  at: string
}

/** Writes down what happened, and whom to tell of it, inside the transaction that makes it happen. */
export function recordEvent(store: Store, event: Happening): void {
  const id = randomId()
  insertAuditEvent(store, {
    id,
    organization_id: event.organizationId,
    action: event.action,
    user_id: event.userId,
    token_id: event.origin?.tokenId ?? null,
    address: event.origin?.address ?? null,
    request_id: event.origin?.requestId ?? null,
    target_kind: event.target.kind,
    target_id: event.target.id,
    space_id: event.spaceId ?? null,
    details: JSON.stringify(event.details ?? {}),
    created_at: event.at,
  })
  queueDeliveries(store, id, event)
}
