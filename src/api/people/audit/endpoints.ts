import { organization } from '../../../access/guards/organization.ts'
import { eventActions } from '../../../actions/events/audit-event.ts'
import { webhookEventsOf } from '../../../actions/events/webhook-events.ts'
import type { Context } from '../../../context.ts'
import { missing } from '../../../errors.ts'
import { endpoint } from '../../../http/endpoint.ts'
import { listing, listOf, wholeList } from '../../../http/list.ts'
import { inSlices } from '../../../lib/slices.ts'
import { findAuditEvent, listAuditEvents } from '../../../store/events/audit-events.ts'
import { findUsers } from '../../../store/people/users.ts'
import type { AuditEventRow } from '../../../store/tables/rows.ts'
import { OrganizationPath } from '../../base/organizations/schema.ts'
import { presentEvent } from './present.ts'
import { AuditEvent, AuditEventAction, AuditEventPath, AuditEventsQuery } from './schema.ts'

export const listAuditEventsInOrganization = listing({
  operationId: 'listAuditEvents',
  summary: 'List the audit events of an organization, newest first',
  description:
    'Returns the recorded writes of the organization: requests over HTTP, pushes with Git, and commands on the server. Events are never changed or removed. Several filters can be combined. Requires an admin of the organization.',
  params: OrganizationPath,
  query: AuditEventsQuery,
  item: AuditEvent,
  access: organization('admin'),
  list: ({ ctx, organization: { id }, query }) => {
    const { from, to, action, actor, target: targetId, space: spaceId } = query
    const userId = actor === 'unknown' ? null : actor
    const filter = { from, to, action, userId, targetId, spaceId }

    return {
      name: `audit-events ${JSON.stringify([id, from, to, action, actor, targetId, spaceId])}`,
      rows: (limit, before: [string, number] | undefined) =>
        inSlices(listAuditEvents(ctx.store, id, filter, limit, before)),
      key: row => [row.created_at, row.seq],
      show: rows => present(ctx, rows),
    }
  },
})

export const getAuditEvent = endpoint({
  operationId: 'getAuditEventById',
  summary: 'Get an audit event',
  description: 'Returns one event with its details. Requires an admin of the organization.',
  params: AuditEventPath,
  reply: AuditEvent,
  access: organization('admin'),
  handle: ({ ctx, organization: { id }, params }) => {
    const row = findAuditEvent(ctx.store, id, params.eventId)
    if (!row) throw missing('audit event', params.eventId)
    return present(ctx, [row])[0]!
  },
})

export const listAuditEventActions = endpoint({
  operationId: 'listAuditEventActions',
  summary: 'List the actions of audit events: the values of `action`',
  description:
    'Returns every value that `action` of an audit event can have, with the webhook events that are sent for it. Actions that have not occurred yet are included. Requires an admin of the organization.',
  params: OrganizationPath,
  reply: listOf(AuditEventAction),
  access: organization('admin'),
  handle: () =>
    wholeList(
      eventActions.map(action => ({
        object: 'audit-event-action' as const,
        action,
        webhookEvents: [...webhookEventsOf(action)],
      })),
    ),
})

/** Returns the resources of events; reads all users with one query. */
function present(ctx: Context, rows: readonly AuditEventRow[]) {
  const users = findUsers(
    ctx.store,
    rows.flatMap(({ user_id }) => user_id ?? []),
  )
  return rows.map(row => presentEvent(row, users.get(row.user_id ?? ''), ctx.publicUrl()))
}
