import type { Origin } from '../../access/asker.ts'

/** Every value of `action` in the audit log: `<subject>.<what happened>`. */
export const eventActions = [
  'organization.created',
  'organization.updated',
  'member.invited',
  'member.joined',
  'member.updated',
  'member.removed',
  'member.signed_in',
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
  'session.created',
  'session.signed_out',
  'session.revoked',
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
  'space.visibility_updated',
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
  'site.created',
  'site.updated',
  'site.published',
  'site.unpublished',
  'site.deleted',
  'site.structure_updated',
  'site.customization_updated',
  'site.schema_updated',
  'site.permission_given',
  'site.permission_removed',
  'share_link.created',
  'share_link.updated',
  'share_link.deleted',
  'preview_link.created',
  'preview_link.deleted',
  'visitor_auth.updated',
  'visitor_auth.key_regenerated',
  'redirect.created',
  'redirect.updated',
  'redirect.deleted',
  'sso_provider.created',
  'sso_provider.updated',
  'sso_provider.deleted',
  'sso.refused',
  'integration.published',
  'integration.unpublished',
  'integration.secret_created',
  'integration.token_created',
  'integration.installed',
  'integration.updated',
  'integration.uninstalled',
  'webhook.created',
  'webhook.updated',
  'webhook.deleted',
  'webhook.pinged',
  'webhook.redelivered',
] as const

export type EventAction = (typeof eventActions)[number]

/**
 * The user behind an event and where the request came from; null if unknown, as for a push or on
 * the command line.
 */
export type EventActor = { userId: string | null; origin: Origin | null }

/** The server itself. */
export const noActor: EventActor = { userId: null, origin: null }

/**
 * Something that happened in an organization, as plain data: it may wait in the journal before it
 * is recorded.
 */
export type AuditEvent = EventActor & {
  action: EventAction
  organizationId: string
  /** The object of the event, e.g. `{ kind: 'comment', id }`. */
  target: { kind: string; id: string }
  spaceId?: string | undefined
  /** Ids, and values before and after. Never a secret or text that a user wrote. */
  details?: Record<string, unknown> | undefined
  /** ISO 8601. */
  at: string
}
