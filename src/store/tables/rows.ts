import type { Selectable } from 'kysely'
import type { Tables } from './tables.ts'

export type UserRow = Selectable<Tables['user']>
export type OrganizationRow = Selectable<Tables['organization']>
export type MemberRow = Selectable<Tables['member']>
export type TeamRow = Selectable<Tables['team']>
export type TokenRow = Selectable<Tables['token']>
export type CollectionRow = Selectable<Tables['collection']>
export type SpaceRow = Selectable<Tables['space']>
export type PermissionRow = Selectable<Tables['permission']>
export type RevisionRow = Selectable<Tables['revision']>
export type RevisionPathRow = Selectable<Tables['revision_path']>
export type ServiceCommitRow = Selectable<Tables['service_commit']>
export type PublishedJumpRow = Selectable<Tables['published_jump']>
export type ChangeRequestRow = Selectable<Tables['change_request']>
export type IntentRow = Selectable<Tables['operation']>
export type IdempotencyRow = Selectable<Tables['idempotency']>
export type JobRow = Selectable<Tables['job']>
export type GitSyncRow = Selectable<Tables['git_sync']>
export type GitSyncRunRow = Selectable<Tables['git_sync_operation']>
export type InvitationRow = Selectable<Tables['invitation']>
export type LinkInviteRow = Selectable<Tables['link_invite']>
export type CommentRow = Selectable<Tables['comment']>
export type CommentReplyRow = Selectable<Tables['comment_reply']>
export type CommenterRow = Selectable<Tables['commenter']>
export type ReactionRow = Selectable<Tables['reaction']>
export type RequestedReviewerRow = Selectable<Tables['requested_reviewer']>
export type ReviewRow = Selectable<Tables['review']>
export type AuditEventRow = Selectable<Tables['audit_event']>
export type WebhookRow = Selectable<Tables['webhook']>
export type WebhookDeliveryRow = Selectable<Tables['webhook_delivery']>
export type OpenapiSpecRow = Selectable<Tables['openapi_spec']>
export type OpenapiSourceRow = Selectable<Tables['openapi_source']>
export type OpenapiVersionRow = Selectable<Tables['openapi_version']>
export type SearchSpaceRow = Selectable<Tables['search_space']>
export type SearchPageRow = Selectable<Tables['search_page']>
