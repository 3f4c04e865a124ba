import type { Context } from '../../context.ts'
import { randomId } from '../../lib/digest.ts'
import { insertAuditEvent } from '../../store/events/audit-events.ts'
import { listOrganizations } from '../../store/people/organizations.ts'
import type { Store } from '../../store/store.ts'
import type { MemberRow } from '../../store/tables/rows.ts'
import type { AuditEvent, EventAction, EventActor } from './audit-event.ts'
import { queueDeliveries } from './queue-deliveries.ts'

/**
 * Records an event in the audit log and queues its webhook deliveries. Call inside the transaction
 * that makes it happen.
 */
export function recordEvent(store: Store, event: AuditEvent): void {
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
    details: event.details ?? {},
    created_at: event.at,
  })
  queueDeliveries(store, id, event)
}

/**
 * Returns a function that records events whose target is a row of this kind. Call it inside the
 * transaction that makes them happen.
 */
export const recordOn =
  (kind: string) =>
  (
    ctx: Context,
    { id, organization_id: organizationId }: { id: string; organization_id: string },
    action: EventAction,
    { userId, origin }: EventActor,
    details?: Record<string, unknown>,
    at: string = ctx.now().toISOString(),
  ): void =>
    recordEvent(ctx.store, {
      action,
      organizationId,
      userId,
      origin,
      target: { kind, id },
      ...(kind === 'space' && { spaceId: id }),
      details,
      at,
    })

export const recordOnSpace = recordOn('space')
export const recordOnCollection = recordOn('collection')
const onOrganization = recordOn('organization')
const onMember = recordOn('member')

/** Records an event whose target is an organization. Call inside the transaction that makes it happen. */
export const recordOnOrganization = (
  ctx: Context,
  { id }: { id: string },
  ...happening: [action: EventAction, by: EventActor, details: Record<string, unknown>]
): void => onOrganization(ctx, { id, organization_id: id }, ...happening)

/** Records an event whose target is a member. Call inside the transaction that makes it happen. */
export const recordOnMember = (
  ctx: Context,
  { organization_id, user_id: id }: Pick<MemberRow, 'organization_id' | 'user_id'>,
  ...happening: [action: EventAction, by: EventActor, details: Record<string, unknown>]
): void => onMember(ctx, { organization_id, id }, ...happening)

/** The most organizations in which an event of one user is recorded. */
const mostOrganizations = 1000

/**
 * Records an event of a user in every organization they belong to. Call inside the transaction that
 * makes it happen.
 */
export function recordUserEvent(
  store: Store,
  userId: string,
  event: Omit<AuditEvent, 'organizationId' | 'spaceId'>,
): void {
  for (const { id } of listOrganizations(store, userId, mostOrganizations))
    recordEvent(store, { ...event, organizationId: id })
}
