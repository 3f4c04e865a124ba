import { type EventAction, eventActions } from './audit-event.ts'

/** The events that webhooks can subscribe to; `ping` is only sent on request. */
export const webhookEvents = [
  'space_updated',
  'space_content_updated',
  'space_gitsync_started',
  'space_gitsync_completed',
  'change_request_opened',
  'change_request_updated',
  'change_request_merged',
  'change_request_archived',
  'review_requested',
  'review_submitted',
  'comment_created',
  'comment_resolved',
  'comment_deleted',
  'reply_created',
  'reply_deleted',
  'space_created',
  'space_visibility_updated',
  'site_published',
  'site_unpublished',
  'site_updated',
  'site_structure_updated',
  'openapi_spec_processed',
  'member_joined',
  'member_updated',
  'member_removed',
  'team_created',
  'team_updated',
  'team_deleted',
] as const

export type WebhookEvent = (typeof webhookEvents)[number]

const space = ['space_updated'] as const

/**
 * The webhook events of each audited action; actions not listed here appear in the audit log alone.
 */
const eventsByAction: { readonly [Action in EventAction]?: readonly WebhookEvent[] } = {
  'space.created': ['space_created'],
  'space.duplicated': ['space_created'],
  'space.updated': space,
  'space.moved': space,
  'space.transferred': space,
  'space.deleted': space,
  'space.restored': space,
  'space.visibility_updated': ['space_visibility_updated'],
  'space.content_updated': ['space_content_updated'],
  'git_sync.started': ['space_gitsync_started'],
  'git_sync.completed': ['space_gitsync_completed'],
  'change_request.opened': ['change_request_opened'],
  'change_request.updated': ['change_request_updated'],
  'change_request.content_updated': ['change_request_updated'],
  'change_request.merged': ['change_request_merged', 'space_content_updated'],
  'change_request.archived': ['change_request_archived'],
  'reviewer.requested': ['review_requested'],
  'review.submitted': ['review_submitted'],
  'comment.created': ['comment_created'],
  'comment.resolved': ['comment_resolved'],
  'comment.deleted': ['comment_deleted'],
  'reply.created': ['reply_created'],
  'reply.deleted': ['reply_deleted'],
  'site.published': ['site_published'],
  'site.unpublished': ['site_unpublished'],
  'site.updated': ['site_updated'],
  'site.structure_updated': ['site_structure_updated'],
  'openapi_spec.processed': ['openapi_spec_processed'],
  'member.invited': ['member_joined'],
  'member.joined': ['member_joined'],
  'member.updated': ['member_updated'],
  'member.removed': ['member_removed'],
  'team.created': ['team_created'],
  'team.updated': ['team_updated'],
  'team.members_updated': ['team_updated'],
  'team.deleted': ['team_deleted'],
}

/** Returns the webhook events of an audited action. */
export const webhookEventsOf = (action: EventAction): readonly WebhookEvent[] =>
  eventsByAction[action] ?? []

/** Returns the audited actions that a webhook event is sent for. */
export const actionsOf = (event: WebhookEvent): EventAction[] =>
  eventActions.filter(action => webhookEventsOf(action).includes(event))
