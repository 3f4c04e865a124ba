import type { WebhookEvent } from '../../../actions/events/webhook-events.ts'
import { webhookPayloads } from '../../../actions/events/webhook-payload.ts'
import type { SentEvent } from '../../../http/document/webhooks.ts'

const summaries: Readonly<Record<WebhookEvent | 'ping', string>> = {
  space_created: 'A space was created or duplicated',
  space_updated: 'A space was changed, moved, transferred, deleted or restored',
  space_content_updated: 'The primary content of a space has changed',
  space_gitsync_started: 'An import or export has started',
  space_gitsync_completed: 'An import or export has ended',
  change_request_opened: 'A change request was opened for review',
  change_request_updated: 'A change request was changed',
  change_request_merged: 'A change request was merged',
  change_request_archived: 'A change request was archived',
  review_requested: 'Users were asked to review a change request',
  review_submitted: 'A review was submitted',
  comment_created: 'A comment was posted',
  comment_resolved: 'A comment was resolved',
  comment_deleted: 'A comment was deleted with its replies',
  reply_created: 'A reply to a comment was posted',
  reply_deleted: 'A reply to a comment was deleted',
  space_visibility_updated: 'Sites show a space to a wider or narrower audience',
  site_published: 'A site was published',
  site_unpublished: 'A site was unpublished',
  site_updated: 'The settings of a site have changed',
  site_structure_updated: 'The structure of a site has changed',
  openapi_spec_processed: 'A source of an OpenAPI spec was read, or could not be read',
  member_joined: 'A user has joined the organization',
  member_updated: 'The role or the access of a member has changed',
  member_removed: 'A member was removed or has left',
  team_created: 'A team was created',
  team_updated: 'A team was renamed, or its members have changed',
  team_deleted: 'A team was deleted',
  ping: 'A webhook was tried out',
}

/** The events that are posted to webhooks. */
export const sentEvents: Readonly<Record<string, SentEvent>> = Object.fromEntries(
  Object.entries(summaries).map(([type, summary]) => [
    type,
    { summary, payload: webhookPayloads[type as WebhookEvent | 'ping'] },
  ]),
)
